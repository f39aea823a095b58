#include "stash/fleet/live/cluster/skypilot_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/live/cluster/cluster_command.h"

namespace stash {
namespace {

constexpr int kMostSkyReplicas = 10'000;

std::string trimmed_cell(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return std::string(text);
}

// "1/2": ready of all.
bool read_replicas(const std::string& text, SkyService& service) {
  const char* const end = text.data() + text.size();
  const auto ready = std::from_chars(text.data(), end, service.ready);
  if (ready.ec != std::errc() || ready.ptr == end || *ready.ptr != '/') return false;
  const auto all = std::from_chars(ready.ptr + 1, end, service.replicas);
  return all.ec == std::errc() && all.ptr == end && service.ready >= 0 && service.ready <= service.replicas &&
         service.replicas <= kMostSkyReplicas;
}

}  // namespace

std::vector<SkyService> read_sky_services(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string header;
  while (std::getline(lines, header) && !header.starts_with("NAME ")) {
    if (header.starts_with("No existing services") || header.starts_with("No live services")) return {};
  }
  const std::size_t status = header.find("STATUS"), replicas = header.find("REPLICAS"),
                    endpoint = header.find("ENDPOINT");
  if (status == std::string::npos || replicas == std::string::npos || endpoint == std::string::npos) {
    throw Error("`sky serve status` printed no table of services");
  }
  std::vector<SkyService> found;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = trimmed_cell(std::string_view(line).substr(0, std::min(line.find(' '), line.size())));
    if (name.empty()) break;  // the table of replicas follows
    if (line.size() < endpoint) throw Error(fmt::format("`sky serve status` printed half a row for {}", name));
    SkyService service{.name = name,
                       .status = trimmed_cell(std::string_view(line).substr(status, replicas - status)),
                       .endpoint = trimmed_cell(std::string_view(line).substr(endpoint))};
    const std::string count = trimmed_cell(std::string_view(line).substr(replicas, endpoint - replicas));
    if (!read_replicas(count, service)) {
      throw Error(fmt::format("`sky serve status` says that {} has '{}' replicas", name, count));
    }
    if (service.endpoint == "-") service.endpoint.clear();
    found.push_back(std::move(service));
  }
  return found;
}

SkypilotProvider::SkypilotProvider(ProviderSetup setup) : setup_(std::move(setup)), load_(setup_.objective.latency_s) {
  if (setup_.image.empty()) throw UsageError("--provider skypilot needs --image NAME: the container with stash serve");
  if (setup_.metrics.empty()) {
    throw UsageError(
        "--provider skypilot needs --metrics URL: where the load can be read, like "
        "http://gateway:8000/metrics");
  }
  services();
}

std::string SkypilotProvider::name_of(int type, bool spot) const {
  return cluster_name(setup_.market->model, setup_.market->machines.at(static_cast<std::size_t>(type)).name, spot);
}

std::vector<SkyService> SkypilotProvider::services() const {
  return read_sky_services(run_cluster_command({"sky", "serve", "status"}));
}

std::vector<LiveMachine> SkypilotProvider::look() {
  const std::vector<SkyService> all = services();
  std::vector<LiveMachine> found;
  for (int type = 0; type < static_cast<int>(setup_.market->machines.size()); ++type) {
    for (const bool spot : {false, true}) {
      const auto service = std::ranges::find(all, name_of(type, spot), &SkyService::name);
      if (service == all.end()) continue;
      if (!service->endpoint.empty()) address_ = "http://" + service->endpoint;
      for (int i = 0; i < service->replicas; ++i) {
        found.push_back({.id = fmt::format("{}/{}", service->name, i),
                         .type = type,
                         .spot = spot,
                         .state = i < service->ready ? MachineState::ready : MachineState::starting});
      }
    }
  }
  return found;
}

void SkypilotProvider::scale(int type, bool spot, int change) const {
  const std::vector<SkyService> all = services();
  const std::string name = name_of(type, spot);
  const auto service = std::ranges::find(all, name, &SkyService::name);
  const int before = service == all.end() ? 0 : service->replicas;
  const int after = std::max(before + change, 0);
  if (after == 0) {
    if (before > 0) run_cluster_command({"sky", "serve", "down", "--yes", name});
    return;
  }
  const FleetExport what{.market = setup_.market,
                         .objective = setup_.objective,
                         .model = setup_.model,
                         .image = setup_.image,
                         .space = setup_.space,
                         .machines = {{.type = type, .spot = spot, .count = after, .most = after}}};
  const std::filesystem::path file = setup_.folder / (name + ".yaml");
  write_file_atomically(file, skypilot_files(what).front().text);
  if (service == all.end()) {
    run_cluster_command({"sky", "serve", "up", "--yes", "--service-name", name, file.string()});
  } else {
    run_cluster_command({"sky", "serve", "update", "--yes", name, file.string()});
  }
}

void SkypilotProvider::read_load(LoadBook& book, double now_s) {
  for (const std::string& url : setup_.metrics) load_.add(url, fetch_metrics(url), book, now_s);
}

void SkypilotProvider::end(bool keeps_machines) {
  if (keeps_machines) return;
  for (const LiveMachine& one : look()) {
    if (one.id.ends_with("/0")) run_cluster_command({"sky", "serve", "down", "--yes", name_of(one.type, one.spot)});
  }
}

}  // namespace stash
