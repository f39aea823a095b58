#include "stash/battery/this_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/attribute/links.h"
#include "stash/battery/micro_storage.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/gpu_model.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/input/pages/machine_rates.h"
#include "stash/launch/machine_info.h"

namespace stash {
namespace {

std::string rate_text(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

std::string measured(const MeasuredRate& rate, const std::string& date, std::string (*format)(double)) {
  return fmt::format("measured, {} to {}, {}", format(rate.low_per_s), format(rate.high_per_s), date);
}

std::string samples_text(double per_s) { return fmt::format("{:.0f} samples/s", per_s); }

class MachineRow {
 public:
  MachineRow(const ThisMachineOptions& options, const std::string& date,
             const std::function<void(std::string_view)>& tell)
      : options_(options), date_(date), tell_(tell) {}

  ThisMachine run() {
    describe();
    measure_decoding();
    measure_storage();
    if (options_.profile) take_profile(*options_.profile);
    if (!instance().network_bytes_per_s) unknown("network: pass a profile of several machines with --profile");
    if (instance().gpus > 1 && !instance().link_bytes_per_s) unknown("GPU links: pass a profile with --profile");
    check_instance(instance());
    return std::move(result_);
  }

 private:
  Instance& instance() { return result_.instance; }
  void unknown(std::string what) { result_.unknown.push_back(std::move(what)); }

  void describe() {
    const Machine machine = describe_machine("");
    instance().cloud = "own";
    instance().name = options_.name.empty() ? machine.hostname : options_.name;
    instance().vcpus = machine.cores;
    instance().memory_bytes = machine.memory_bytes;
    instance().source = fmt::format("measured, {}", date_);
    instance().date = date_;
    describe_gpus();
    if (!options_.usd_per_h) return;
    instance().usd_per_h = options_.usd_per_h;
    instance().price_date = date_;
    instance().price_source = fmt::format("--usd-per-hour, {}", date_);
  }

  void describe_gpus() {
    const std::vector<std::string> models = gpu_models();
    const int there = std::min(count_gpus(), static_cast<int>(models.size()));
    if (!options_.gpu.empty()) {
      instance().gpu = find_gpu(options_.gpu).name;
      instance().gpus = options_.gpus.value_or(std::max(there, 1));
    } else if (there > 0) {
      instance().gpu = catalogued_gpu_name(models.front());
      instance().gpus = options_.gpus.value_or(there);
      if (known_gpu(instance()) == nullptr) unknown(fmt::format("the rates of {}: name it with --gpu", models.front()));
    } else {
      unknown("GPUs: none is seen here; --gpu and --gpus say what is to be assumed");
    }
    if (instance().gpus == 1) {
      instance().links = GpuLinks::none;
      instance().links_source = fmt::format("one GPU has no peer, {}", date_);
    }
  }

  void measure_decoding() {
    if (!options_.decode_samples_per_s) tell_("decoding images on one core …");
    const MeasuredRate rate = options_.decode_samples_per_s ? *options_.decode_samples_per_s : measure_decode_rate();
    instance().decode_samples_per_s = rate.per_s;
    instance().decode_source = measured(rate, date_, samples_text);
  }

  void measure_storage() {
    const auto rate = options_.storage_bytes_per_s ? options_.storage_bytes_per_s : time_storage();
    if (!rate) {
      return unknown(fmt::format("storage: pages cannot be evicted in {}; name a folder on a disk with --storage",
                                 options_.storage.string()));
    }
    instance().storage_bytes_per_s = rate->per_s;
    instance().storage_source = measured(*rate, date_, rate_text);
  }

  std::optional<MeasuredRate> time_storage() const {
    tell_(fmt::format("reading {} in {} …", format_bytes(kStorageBytes), options_.storage.string()));
    return measure_storage_rate(options_.storage, kStorageBytes);
  }

  void take_profile(const Profile& profile) {
    const std::string here = describe_machine("").hostname;
    if (profile.machine.hostname != here) {
      unknown(fmt::format("whether the profile is of this machine: it was made on '{}', this is '{}'",
                          profile.machine.hostname, here));
    }
    for (const auto& rows : group_links(profile.links)) take_links(rows);
    double samples = 0, cpu_s = 0;
    for (const InputCounters& counters : profile.inputs) {
      samples += static_cast<double>(counters.samples);
      cpu_s += counters.decode_s + counters.augment_s;
    }
    if (samples > 0 && cpu_s > 0 && profile.job.image_size == 224) {
      instance().decode_samples_per_s = samples / cpu_s;
      instance().decode_source = fmt::format("measured, the profile's own data, {}", date_);
    }
    if (instance().gpus == 0 && !profile.machine.gpus.empty()) {
      const GpuInfo& gpu = profile.machine.gpus.front();
      instance().gpu = catalogued_gpu_name(gpu.name, gpu.memory_bytes.value_or(0));
      instance().gpus = static_cast<int>(profile.machine.gpus.size());
    }
  }

  // The best that was seen, from the slowest and the fastest of its calls.
  void take_links(const std::vector<LinkTime>& rows) {
    const auto slower = [](const LinkTime& a, const LinkTime& b) { return bus_bytes_per_s(a) < bus_bytes_per_s(b); };
    const LinkTime& best = *std::ranges::max_element(rows, slower);
    const double per_s = bus_bytes_per_s(best);
    if (!(per_s > 0) || best.high_s <= 0 || best.low_s <= 0) return;
    const std::string source =
        measured({per_s, per_s * best.s / best.high_s, per_s * best.s / best.low_s}, date_, rate_text);
    if (best.scope == "node" && best.node == 0 && best.op == "allreduce") {
      instance().link_bytes_per_s = per_s;
      instance().links_source = source;
    } else if (best.scope == "pair" && per_s > instance().network_bytes_per_s.value_or(0)) {
      instance().network_bytes_per_s = per_s;
      instance().network_source = source;
      if (const auto fit = fit_link(rows); fit && fit->latency_s > 0) instance().network_latency_s = fit->latency_s;
    }
  }

  const ThisMachineOptions& options_;
  const std::string& date_;
  const std::function<void(std::string_view)>& tell_;
  ThisMachine result_;
};

}  // namespace

ThisMachine describe_this_machine(const ThisMachineOptions& options, const std::string& date,
                                  const std::function<void(std::string_view)>& tell) {
  return MachineRow(options, date, tell).run();
}

}  // namespace stash
