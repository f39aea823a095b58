#include "stash/catalog/instance_keys.h"

#include <array>
#include <utility>

#include "stash/catalog/instance_fields.h"

namespace stash {
namespace {

constexpr auto kInstanceMeanings = std::to_array<KeyMeaning>({
    {"cloud", "`aws`, `azure`, `google`, …; `own`: a machine that people own, measured or described"},
    {"name", "name of the instance type"},
    {"gpu", "a name of `catalog/gpus.csv`; a GPU that is not listed there has no rates, so nothing can be predicted"},
    {"gpus", "number of GPUs"},
    {"gpu_memory_bytes", "memory of one GPU, as the cloud states it"},
    {"vcpus", "number of virtual CPUs"},
    {"memory_bytes", "memory of the machine"},
    {"source", "source of the figures above"},
    {"usd_per_hour", "price of one instance; Google's include the GPUs"},
    {"spot_usd_per_hour", "spot price of one instance"},
    {"price_date", "day of the prices"},
    {"price_source", "source of the prices"},
    {"network_bytes_per_s",
     "sustained network rate; where GPUs have network cards of their own (EFA, InfiniBand, Google's between GPUs), "
     "that of "
     "these"},
    {"network_burst_bytes_per_s", "rate that lasts for minutes; the \"up to\" figures of clouds"},
    {"network_latency_s", "from one machine to another"},
    {"network_source", "source of the network figures"},
    {"storage_bytes_per_s", "sustained rate of network disks, all volumes together"},
    {"storage_burst_bytes_per_s", "rate that lasts for minutes"},
    {"storage_source", "source of the storage figures"},
    {"links", "how GPUs reach each other: `none` (there is one), `pcie`, `nvlink` (a mesh) or `nvswitch`"},
    {"link_bytes_per_s", "rate of one GPU to the others, one direction, all its links together"},
    {"uplink_bytes_per_s", "PCIe: rate that `gpus_per_uplink` GPUs share"},
    {"gpus_per_uplink", "PCIe: number of GPUs per uplink"},
    {"links_source", "source of the link figures"},
    {"host_bytes_per_s", "from host memory to one GPU, one direction"},
    {"host_source", "source of the host figure"},
    {"decode_samples_per_s",
     "images per second and core: JPEG of 500x375 pixels and 110 kB to 224x224, with augmentation"},
    {"decode_source", "source of the decode figure"},
    {"date", "day of the row"},
});

}  // namespace

std::vector<JsonKey> instance_keys() {
  KeyLister lister;
  list_fields(lister, Instance{});
  return described(std::move(lister.keys()), kInstanceMeanings);
}

}  // namespace stash
