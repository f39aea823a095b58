#pragma once

#include <cstdint>

#include "stash/catalog/instance.h"

namespace stash::testing_support {

// Every field is set.
inline Instance sample_instance() {
  Instance instance;
  instance.cloud = "aws";
  instance.name = "k80.8";
  instance.gpu = "K80";
  instance.gpus = 8;
  instance.gpu_memory_bytes = std::int64_t{12} << 30;
  instance.vcpus = 32;
  instance.memory_bytes = std::int64_t{488} << 30;
  instance.source = "its maker";
  instance.usd_per_h = 7.2;
  instance.spot_usd_per_h = 2.16;
  instance.price_date = "2022-03-01";
  instance.price_source = "a list";
  instance.network_bytes_per_s = 1.25e9;
  instance.network_burst_bytes_per_s = 2.5e9;
  instance.network_latency_s = 30e-6;
  instance.network_source = "a page";
  instance.storage_bytes_per_s = 625e6;
  instance.storage_burst_bytes_per_s = 700e6;
  instance.storage_source = "another page";
  instance.links = GpuLinks::pcie;
  instance.link_bytes_per_s = 12.5e9;
  instance.uplink_bytes_per_s = 12.5e9;
  instance.gpus_per_uplink = 2;
  instance.links_source = "a board";
  instance.host_bytes_per_s = 12.5e9;
  instance.host_source = "a slot";
  instance.decode_samples_per_s = 900;
  instance.decode_source = "measured";
  instance.date = "2022-03-01";
  return instance;
}

}  // namespace stash::testing_support
