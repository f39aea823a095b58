#include "stash/cli/flags/measured_flag.h"

#include <fmt/format.h>

#include <charconv>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr int kMostMeasuredGpus = 1 << 16;

int gpu_count(std::string_view count, std::string_view text) {
  int gpus = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), gpus);
  if (error != std::errc() || end != count.data() + count.size() || gpus < 1 || gpus > kMostMeasuredGpus) {
    throw UsageError(
        fmt::format("--measured {}: the number of GPUs is a whole number from 1 to {}", text, kMostMeasuredGpus));
  }
  return gpus;
}

// GPUs of one machine, or all GPUs of several.
void put_gpus(MeasuredStep& measured, int gpus, std::string_view text) {
  const int each = measured.instance.gpus;
  if (gpus > each && gpus % each != 0) {
    throw UsageError(fmt::format("--measured {}: {} GPUs are no multiple of the {} that {} has", text, gpus, each,
                                 with_article(measured.instance.name)));
  }
  measured.nodes = gpus > each ? gpus / each : 1;
  measured.gpus_per_node = gpus / measured.nodes;
}

}  // namespace

MeasuredStep parse_measured_step(std::string_view text, std::span<const Instance> instances) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format(
        "--measured {}: takes INSTANCE=TIME or INSTANCE:GPUS=TIME, like g4dn.xlarge=0.190s or p3.16xlarge:8=0.3s",
        text));
  }
  const std::string_view where = text.substr(0, equals);
  const std::size_t colon = where.find(':');
  MeasuredStep measured{.instance = find_instance(instances, where.substr(0, colon))};
  if (measured.instance.gpus < 1) throw UsageError(fmt::format("--measured {}: it has no GPU", measured.instance.name));
  put_gpus(measured, colon == std::string_view::npos ? 1 : gpu_count(where.substr(colon + 1), text), text);
  measured.step_s = parse_duration_s(text.substr(equals + 1), "--measured");
  if (!(measured.step_s > 0)) {
    throw UsageError(fmt::format("--measured {}: a step takes longer than that", measured.instance.name));
  }
  return measured;
}

}  // namespace stash
