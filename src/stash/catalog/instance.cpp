#include "stash/catalog/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stash/catalog/instance_fields.h"
#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::array<std::string_view, 4> kLinks{"none", "pcie", "nvlink", "nvswitch"};

// Nothing in a catalogue comes near it; it keeps whole numbers exact and sums finite.
constexpr double kLargestFigure = 9e15;

[[noreturn]] void fail(std::string_view field, std::string_view problem) {
  throw Error(fmt::format("{} {}", field, problem));
}

// Figures that are there must mean something.
struct Checker {
  void operator()(const char*, const std::string&) const {}
  void operator()(const char*, int) const {}
  void operator()(const char*, const std::optional<GpuLinks>&) const {}

  template <class T>
  void operator()(const char* field, const std::optional<T>& value) const {
    if (!value) return;
    const auto figure = static_cast<double>(*value);
    if (!(figure > 0) || figure > kLargestFigure) {
      fail(field, fmt::format("is {}; it must be above 0 and up to {:g}", *value, kLargestFigure));
    }
  }
};

// Whether the newer row knows any figure of a group.
template <class... Figures>
bool knows(const Figures&... figures) {
  return (figures.has_value() || ...);
}

template <class T>
void take(std::optional<T>& known, const std::optional<T>& newer) {
  if (newer) known = newer;
}

void overlay_shape(Instance& known, const Instance& newer) {
  known.cloud = newer.cloud;
  if (newer.gpu != known.gpu) known.gpu_memory_bytes.reset();
  known.gpu = newer.gpu;
  known.gpus = newer.gpus;
  take(known.gpu_memory_bytes, newer.gpu_memory_bytes);
  take(known.vcpus, newer.vcpus);
  take(known.memory_bytes, newer.memory_bytes);
  known.source = newer.source;
  known.date = newer.date;
}

void overlay_price(Instance& known, const Instance& newer) {
  if (!knows(newer.usd_per_h, newer.spot_usd_per_h)) return;
  known.usd_per_h = newer.usd_per_h;
  known.spot_usd_per_h = newer.spot_usd_per_h;
  known.price_date = newer.price_date;
  known.price_source = newer.price_source;
}

void overlay_network(Instance& known, const Instance& newer) {
  if (!knows(newer.network_bytes_per_s, newer.network_burst_bytes_per_s, newer.network_latency_s)) return;
  known.network_bytes_per_s = newer.network_bytes_per_s;
  known.network_burst_bytes_per_s = newer.network_burst_bytes_per_s;
  known.network_latency_s = newer.network_latency_s;
  known.network_source = newer.network_source;
}

void overlay_storage(Instance& known, const Instance& newer) {
  if (!knows(newer.storage_bytes_per_s, newer.storage_burst_bytes_per_s)) return;
  known.storage_bytes_per_s = newer.storage_bytes_per_s;
  known.storage_burst_bytes_per_s = newer.storage_burst_bytes_per_s;
  known.storage_source = newer.storage_source;
}

void overlay_links(Instance& known, const Instance& newer) {
  if (!knows(newer.links, newer.link_bytes_per_s)) return;
  known.links = newer.links;
  known.link_bytes_per_s = newer.link_bytes_per_s;
  known.uplink_bytes_per_s = newer.uplink_bytes_per_s;
  known.gpus_per_uplink = newer.gpus_per_uplink;
  known.links_source = newer.links_source;
}

}  // namespace

GpuLinks parse_gpu_links(std::string_view name) {
  const auto found = std::ranges::find(kLinks, name);
  if (found == kLinks.end()) throw_unknown("links", name, kLinks);
  return static_cast<GpuLinks>(found - kLinks.begin());
}

std::string_view to_string(GpuLinks links) { return kLinks[static_cast<std::size_t>(links)]; }

void check_instance(const Instance& instance) {
  if (instance.name.empty()) fail("name", "is missing");
  if (instance.cloud.empty()) fail("cloud", "is missing");
  if (instance.gpu.empty() ? instance.gpus != 0 : instance.gpus < 1) {
    fail("gpus", fmt::format("is {}; it must be 1 or more, or 0 with gpu left empty", instance.gpus));
  }
  if (instance.uplink_bytes_per_s.has_value() != instance.gpus_per_uplink.has_value()) {
    fail("uplink_bytes_per_s", "needs gpus_per_uplink, and the other way round");
  }
  Checker checker;
  fields(checker, instance);
}

bool links_are_known(const Instance& instance) { return instance.gpus < 2 || instance.link_bytes_per_s.has_value(); }

void overlay(Instance& known, const Instance& newer) {
  overlay_shape(known, newer);
  overlay_price(known, newer);
  overlay_network(known, newer);
  overlay_storage(known, newer);
  overlay_links(known, newer);
  if (newer.host_bytes_per_s) {
    known.host_bytes_per_s = newer.host_bytes_per_s;
    known.host_source = newer.host_source;
  }
  if (newer.decode_samples_per_s) {
    known.decode_samples_per_s = newer.decode_samples_per_s;
    known.decode_source = newer.decode_source;
  }
}

}  // namespace stash
