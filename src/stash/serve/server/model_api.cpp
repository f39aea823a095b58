#include "stash/serve/server/model_api.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stash/core/profile_json.h"
#include "stash/serve/protocol/model_metadata.h"

namespace stash {
namespace {

using Words = std::vector<std::string_view>;
constexpr std::size_t kMostWords = 8;

Words words_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  Words words;
  while (!target.empty() && words.size() < kMostWords) {
    target.remove_prefix(1);  // the slash
    const std::size_t end = std::min(target.find('/'), target.size());
    words.push_back(target.substr(0, end));
    target.remove_prefix(end);
  }
  return words;
}

HttpAnswer refusal_answer(int status, std::string why) { return error_answer({status, std::move(why)}); }

HttpAnswer unknown_path(std::string_view target) {
  return refusal_answer(404, fmt::format("there is no {}: this server has /v2, /v2/models/NAME, "
                                         "/v2/models/NAME/infer, /v2/health/ready and /metrics",
                                         target.substr(0, 200)));
}

HttpAnswer unknown_model(const Scheduler& scheduler, std::string_view name) {
  std::string known;
  for (const ModelQueue& queue : scheduler.models()) known += (known.empty() ? "" : ", ") + queue.model().name;
  return refusal_answer(404, fmt::format("there is no model '{}'; this server has {}", name.substr(0, 100), known));
}

std::string_view state_text(const ModelQueue& queue) {
  if (queue.state() == ModelQueue::State::ready) return "READY";
  return queue.state() == ModelQueue::State::loading ? "LOADING" : "UNAVAILABLE";
}

HttpAnswer index_answer(const Scheduler& scheduler) {
  nlohmann::json list = nlohmann::json::array();
  for (const ModelQueue& queue : scheduler.models()) {
    list.push_back({{"name", queue.model().name},
                    {"version", "1"},
                    {"state", state_text(queue)},
                    {"reason", queue.why_unavailable()}});
  }
  return {.body = dump_json(list)};
}

HttpAnswer not_loaded(const ModelQueue& queue) {
  const std::string& name = queue.model().name;
  if (!queue.why_unavailable().empty()) {
    return refusal_answer(503, queue.is_loading() ? queue.why_unavailable()
                                                  : fmt::format("{}; POST /v2/repository/models/{}/load tries again",
                                                                queue.why_unavailable(), name));
  }
  return refusal_answer(503, fmt::format("model '{}' is {}", name,
                                         queue.state() == ModelQueue::State::loading
                                             ? "being loaded: try again later"
                                             : fmt::format("not loaded: POST /v2/repository/models/{}/load", name)));
}

ApiCall model_call(Scheduler& scheduler, const HttpHead& head, Words words) {
  ModelQueue* const queue = scheduler.find(words[2]);
  if (queue == nullptr) return unknown_model(scheduler, words[2]);
  words.erase(words.begin(), words.begin() + 3);
  if (!words.empty() && words[0] == "versions") {
    if (words.size() < 2 || words[1] != "1") return refusal_answer(404, "every model has version 1 only");
    words.erase(words.begin(), words.begin() + 2);
  }
  const bool is_ready = queue->state() == ModelQueue::State::ready;
  if (words.empty() && queue->model().input.name.empty()) return not_loaded(*queue);  // it was never there
  if (words.empty()) return HttpAnswer{.body = model_metadata(queue->model())};
  if (words.size() == 1 && words[0] == "ready") return is_ready ? HttpAnswer{.body = "{}"} : not_loaded(*queue);
  if (words.size() == 1 && words[0] == "infer") {
    if (head.method != "POST") return refusal_answer(405, "infer takes a POST");
    if (!is_ready) return not_loaded(*queue);
    return InferCall{queue};
  }
  return unknown_path(head.target);
}

ApiCall repository_call(Scheduler& scheduler, const HttpHead& head, const Words& words) {
  if (head.method != "POST") return refusal_answer(405, "the repository takes a POST");
  if (words.size() == 3 && words[2] == "index") return index_answer(scheduler);
  if (words.size() != 5 || words[2] != "models") return unknown_path(head.target);
  ModelQueue* const queue = scheduler.find(words[3]);
  if (queue == nullptr) return unknown_model(scheduler, words[3]);
  if (words[4] == "load") return LoadCall{queue};
  if (words[4] != "unload") return unknown_path(head.target);
  queue->unload();
  return HttpAnswer{.body = "{}"};
}

bool is_all_ready(const Scheduler& scheduler) {
  for (const ModelQueue& queue : scheduler.models()) {
    if (queue.state() == ModelQueue::State::loading) return false;
  }
  return true;
}

}  // namespace

ApiCall route(Scheduler& scheduler, const HttpHead& head, std::size_t connections) {
  if (head.target.empty() || head.target.front() != '/') return unknown_path(head.target);
  const Words words = words_of(head.target);
  // A page on the web could ask a browser on this machine to post; it cannot do so without saying where it is from.
  if (head.is_from_page && head.method == "POST") return refusal_answer(403, "web pages may not post to this server");
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST") {
    return refusal_answer(405,
                          fmt::format("{} is not taken: this server takes GET and POST", head.method.substr(0, 20)));
  }
  if (words.size() == 1 && words[0] == "metrics") {
    return HttpAnswer{.type = "text/plain; version=0.0.4", .body = metrics_text(scheduler, connections)};
  }
  if (words[0] != "v2") return unknown_path(head.target);
  if (words.size() >= 3 && words[1] == "models") return model_call(scheduler, head, words);
  if (words.size() >= 3 && words[1] == "repository") return repository_call(scheduler, head, words);
  if (words.size() == 1 || (words.size() == 2 && words[1].empty())) return HttpAnswer{.body = server_metadata()};
  if (words.size() == 3 && words[1] == "health") {
    if (words[2] == "live") return HttpAnswer{.body = R"({"live":true})"};
    if (words[2] == "ready") {
      if (is_all_ready(scheduler)) return HttpAnswer{.body = R"({"ready":true})"};
      return refusal_answer(503, "a model is being loaded: try again later");
    }
  }
  return unknown_path(head.target);
}

}  // namespace stash
