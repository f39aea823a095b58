#include "stash/launch/serving/worker_messages.h"

#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

// The keys of what a worker is told and tells.
namespace stash {

template <class V, json_fields::FieldsOf<WorkerOrder> T>
void fields(V& visit, T& order) {
  visit("name", order.name);
  visit("spec", order.spec);
  visit("device", order.device);
  visit("dtype", order.dtype);
  visit("seed", order.seed);
  visit("most_batch", order.most_batch, 1);
  visit("threads", order.threads, 1);
  visit("measure_s", order.measure_s, 0);
  visit("uses_graphs", order.uses_graphs);
  visit("divides_device", order.divides_device);
  visit("board_fd", order.board_fd);
  visit("arena_fd", order.arena_fd);
  visit("arena_bytes", order.arena_bytes);
  visit("order_fd", order.order_fd);
  visit("done_fd", order.done_fd);
  visit("event_fd", order.event_fd);
}

template <class V, json_fields::FieldsOf<WorkerTensor> T>
void fields(V& visit, T& tensor) {
  visit("name", tensor.name);
  visit("datatype", tensor.datatype);
  visit("shape", tensor.shape);
  visit("at", tensor.at, 0);
}

template <class V, json_fields::FieldsOf<WorkerTime> T>
void fields(V& visit, T& time) {
  visit("batch", time.batch, 1);
  visit("s", time.s, 0);
}

template <class V, json_fields::FieldsOf<WorkerPartTimes> T>
void fields(V& visit, T& part) {
  visit("parts", part.parts, 1);
  visit("times", part.times);
}

template <class V, json_fields::FieldsOf<WorkerReady> T>
void fields(V& visit, T& ready) {
  visit("platform", ready.platform);
  visit("inputs", ready.inputs);
  visit("outputs", ready.outputs);
  visit("times", ready.times);
  visit("most_batch", ready.most_batch, 1);
  visit("load_s", ready.load_s, 0);
  visit("board_bytes", ready.board_bytes, 1);
  visit("pageable_shift", ready.pageable_shift, 0);
  visit("part_times", ready.part_times);
}

template <class V, json_fields::FieldsOf<WorkerFailed> T>
void fields(V& visit, T& failed) {
  visit("kind", failed.kind);
  visit("message", failed.message);
}

template <class V, json_fields::FieldsOf<WorkerNews> T>
void fields(V& visit, T& news) {
  visit.or_default("ready", news.ready);
  visit.or_default("failed", news.failed);
}

std::string worker_order_text(const WorkerOrder& order) { return dump_json(json_fields::write(order)); }

WorkerNews parse_worker_news(std::string_view line) {
  WorkerNews news;
  json_fields::read(parse_json(line, "what a worker says"), json_fields::Path{nullptr, "worker"}, news);
  return news;
}

}  // namespace stash
