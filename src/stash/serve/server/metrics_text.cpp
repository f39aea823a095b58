#include <fmt/format.h>

#include <iterator>

#include "stash/serve/server/model_api.h"

namespace stash {
namespace {

class MetricsWriter {
 public:
  explicit MetricsWriter(const Scheduler& scheduler) : scheduler_(scheduler) {}

  void describe(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  template <class Value>
  void each_model(std::string_view name, std::string_view type, std::string_view help, const Value& value) {
    describe(name, type, help);
    for (const ModelQueue& queue : scheduler_.models()) {
      row(name, fmt::format("model=\"{}\"", queue.model().name), static_cast<double>(value(queue)));
    }
  }

  void row(std::string_view name, std::string_view labels, double value) {
    fmt::format_to(std::back_inserter(text_), "{}{{{}}} {}\n", name, labels, value);
  }

  void plain(std::string_view name, double value) { fmt::format_to(std::back_inserter(text_), "{} {}\n", name, value); }

  void latency(const ModelQueue& queue) {
    const std::string model = fmt::format("model=\"{}\"", queue.model().name);
    constexpr std::string_view kName = "stash_request_seconds";
    for (std::size_t i = 0; i < kLatencyBounds_s.size(); ++i) {
      row(fmt::format("{}_bucket", kName), fmt::format("{},le=\"{}\"", model, kLatencyBounds_s[i]),
          static_cast<double>(queue.counts.within[i]));
    }
    row(fmt::format("{}_bucket", kName), fmt::format("{},le=\"+Inf\"", model),
        static_cast<double>(queue.counts.answered));
    row(fmt::format("{}_sum", kName), model, queue.counts.latency_s);
    row(fmt::format("{}_count", kName), model, static_cast<double>(queue.counts.answered));
  }

  void parts(const ModelQueue& queue) {
    for (const RequestPart part : every(RequestPart{})) {
      if (queue.counts.parts_s[static_cast<std::size_t>(part)] == 0) continue;  // absent, or nothing was answered
      row("stash_request_part_seconds_total",
          fmt::format("model=\"{}\",part=\"{}\"", queue.model().name, to_string(part)),
          queue.counts.parts_s[static_cast<std::size_t>(part)]);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  const Scheduler& scheduler_;
  std::string text_;
};

}  // namespace

std::string metrics_text(const Scheduler& scheduler, std::size_t connections) {
  MetricsWriter writer(scheduler);
  writer.each_model("stash_requests_answered_total", "counter", "Requests that were answered.",
                    [](const ModelQueue& queue) { return queue.counts.answered; });
  writer.each_model("stash_requests_refused_total", "counter",
                    "Requests that were refused because they would have been late, or too many waited.",
                    [](const ModelQueue& queue) { return queue.counts.refused; });
  writer.each_model("stash_requests_failed_total", "counter",
                    "Requests that were answered with an error of the model: it failed, returned NaN, hung or died.",
                    [](const ModelQueue& queue) { return queue.counts.failed; });
  writer.each_model("stash_restarts_total", "counter", "Times that the model's process died or hung.",
                    [](const ModelQueue& queue) { return queue.counts.restarts; });
  writer.each_model("stash_batches_total", "counter", "Batches that were begun.",
                    [](const ModelQueue& queue) { return queue.counts.batches; });
  writer.each_model("stash_samples_total", "counter", "Samples in those batches.",
                    [](const ModelQueue& queue) { return queue.counts.rows; });
  writer.each_model("stash_loads_total", "counter", "Times that the model was loaded.",
                    [](const ModelQueue& queue) { return queue.counts.loads; });
  writer.describe("stash_reload_gap_seconds", "gauge",
                  "How long nobody could serve the model when it was last replaced by another version.");
  for (const ModelQueue& queue : scheduler.models()) {
    if (!queue.counts.reload_gap_s) continue;
    writer.row("stash_reload_gap_seconds", fmt::format("model=\"{}\"", queue.model().name), *queue.counts.reload_gap_s);
  }
  writer.describe("stash_share_ratio", "gauge", "The model's share of the device, where models share it by parts.");
  for (const ModelQueue& queue : scheduler.models()) {
    if (!queue.counts.share_ratio) continue;
    writer.row("stash_share_ratio", fmt::format("model=\"{}\"", queue.model().name), *queue.counts.share_ratio);
  }
  writer.each_model("stash_waiting_samples", "gauge", "Samples that wait for a batch.",
                    [](const ModelQueue& queue) { return queue.waiting_rows(); });
  writer.each_model("stash_ready", "gauge", "Whether the model is loaded.",
                    [](const ModelQueue& queue) { return queue.state() == ModelQueue::State::ready ? 1 : 0; });
  writer.describe("stash_request_seconds", "histogram",
                  "Time of an answered request, from its first byte to the last byte of its answer.");
  for (const ModelQueue& queue : scheduler.models()) writer.latency(queue);
  writer.describe("stash_request_part_seconds_total", "counter",
                  "The same by part; the parts add up to stash_request_seconds_sum.");
  for (const ModelQueue& queue : scheduler.models()) writer.parts(queue);
  writer.describe("stash_device_busy_seconds_total", "counter", "Time that the device worked on batches.");
  writer.plain("stash_device_busy_seconds_total", scheduler.busy_s());
  return writer.take() + fmt::format(
                             "# HELP stash_connections Connections that are open.\n"
                             "# TYPE stash_connections gauge\nstash_connections {}\n",
                             connections);
}

}  // namespace stash
