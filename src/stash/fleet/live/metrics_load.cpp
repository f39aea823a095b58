#include "stash/fleet/live/metrics_load.h"

#include <fmt/format.h>

#include <optional>

#include "stash/core/error.h"
#include "stash/fleet/live/metrics_text_reader.h"
#include "stash/serve/batching/model_queue.h"
#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/load_target.h"

namespace stash {
namespace {

constexpr double kMetricsAnswer_s = 5;

double since(double now, double before) { return now >= before ? now - before : now; }

}  // namespace

void MetricsLoad::add(const std::string& source, std::string_view text, LoadBook& book, double now_s) {
  const auto answered = sum_of_metric(text, "stash_requests_answered_total");
  const auto refused = sum_of_metric(text, "stash_requests_refused_total");
  if (!answered || !refused) {
    throw Error(
        fmt::format("{} says nothing of stash_requests_answered_total and stash_requests_refused_total", source));
  }
  Word word{.at_s = now_s, .answered = *answered, .refused = *refused};
  // By the longest step of the histogram that is within the objective: those between the two count as late.
  std::optional<double> in_time;
  for (const double bound : kLatencyBounds_s) {
    if (bound > objective_s_) break;
    in_time = sum_of_metric(text, "stash_request_seconds_bucket", fmt::format("le=\"{}\"", bound));
  }
  if (in_time) word.late = std::max(*answered - *in_time, 0.0);
  if (word.answered < 0 || word.refused < 0) throw Error(fmt::format("{} counts less than no requests", source));
  const auto before = last_.find(source);
  if (before != last_.end()) {
    const bool is_new = word.answered < before->second.answered || word.refused < before->second.refused;
    const Word from = is_new ? Word{.at_s = before->second.at_s} : before->second;
    LoadCounts counts{.late = since(word.late, from.late), .refused = since(word.refused, from.refused)};
    counts.served = std::max(since(word.answered, from.answered) - counts.late, 0.0);
    book.add(from.at_s, now_s, counts);
  }
  last_[source] = word;
}

std::string fetch_metrics(const std::string& url) {
  const LoadTarget target = parse_load_target(url);
  return ask(target,
             fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", target.path, target.authority()),
             kMetricsAnswer_s);
}

}  // namespace stash
