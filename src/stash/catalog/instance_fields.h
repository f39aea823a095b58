#pragma once

#include <type_traits>

#include "stash/catalog/instance.h"

namespace stash {

// Every field of an Instance with its name in JSON and CSV, in the order of the CSV columns.
template <class V, class T>
  requires std::is_same_v<std::remove_const_t<T>, Instance>
void fields(V& visit, T& instance) {
  visit("cloud", instance.cloud);
  visit("name", instance.name);
  visit("gpu", instance.gpu);
  visit("gpus", instance.gpus);
  visit("gpu_memory_bytes", instance.gpu_memory_bytes);
  visit("vcpus", instance.vcpus);
  visit("memory_bytes", instance.memory_bytes);
  visit("source", instance.source);
  visit("usd_per_hour", instance.usd_per_h);
  visit("spot_usd_per_hour", instance.spot_usd_per_h);
  visit("price_date", instance.price_date);
  visit("price_source", instance.price_source);
  visit("network_bytes_per_s", instance.network_bytes_per_s);
  visit("network_burst_bytes_per_s", instance.network_burst_bytes_per_s);
  visit("network_latency_s", instance.network_latency_s);
  visit("network_source", instance.network_source);
  visit("storage_bytes_per_s", instance.storage_bytes_per_s);
  visit("storage_burst_bytes_per_s", instance.storage_burst_bytes_per_s);
  visit("storage_source", instance.storage_source);
  visit("links", instance.links);
  visit("link_bytes_per_s", instance.link_bytes_per_s);
  visit("uplink_bytes_per_s", instance.uplink_bytes_per_s);
  visit("gpus_per_uplink", instance.gpus_per_uplink);
  visit("links_source", instance.links_source);
  visit("host_bytes_per_s", instance.host_bytes_per_s);
  visit("host_source", instance.host_source);
  visit("decode_samples_per_s", instance.decode_samples_per_s);
  visit("decode_source", instance.decode_source);
  visit("date", instance.date);
}

}  // namespace stash
