#include "stash/fleet/live/cluster/kubernetes_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/live/cluster/cluster_command.h"

namespace stash {
namespace {

constexpr int kMostReplicas = 10'000;
// Each is asked by a kubectl of its own, a tenth of a second each.
constexpr std::size_t kMostPods = 50;
constexpr const char* kModelLabel = "stash-fleet/model";
constexpr const char* kMachineLabel = "stash-fleet/machine";
constexpr const char* kSpotLabel = "stash-fleet/spot";

const nlohmann::json* at(const nlohmann::json& json, std::initializer_list<const char*> path) {
  const nlohmann::json* here = &json;
  for (const char* const key : path) {
    if (!here->is_object()) return nullptr;
    const auto found = here->find(key);
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}

std::string text_at(const nlohmann::json& json, std::initializer_list<const char*> path) {
  const nlohmann::json* const found = at(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

// A missing number is the default of Kubernetes.
int number_at(const nlohmann::json& json, std::initializer_list<const char*> path, int missing) {
  const nlohmann::json* const found = at(json, path);
  if (found == nullptr || found->is_null()) return missing;
  const std::string key = *(path.end() - 1);
  if (!found->is_number_integer() || found->get<double>() < 0 || found->get<double>() > kMostReplicas) {
    throw Error(fmt::format("kubectl says that {} is {}", key, found->dump().substr(0, 40)));
  }
  return found->get<int>();
}

const nlohmann::json& items_of(const nlohmann::json& json) {
  const nlohmann::json* const items = at(json, {"items"});
  if (items == nullptr || !items->is_array()) throw Error("kubectl printed no list of items");
  return *items;
}

}  // namespace

std::vector<KubernetesDeployment> read_deployments(std::string_view json, const Market& market) {
  const nlohmann::json parsed = parse_json(json, "what kubectl printed");
  std::vector<KubernetesDeployment> found;
  for (const nlohmann::json& item : items_of(parsed)) {
    KubernetesDeployment one{.name = text_at(item, {"metadata", "name"})};
    const std::string machine = text_at(item, {"metadata", "labels", kMachineLabel});
    const auto type = std::ranges::find_if(
        market.machines, [&](const MachineType& known) { return label_value(known.name) == machine; });
    if (one.name.empty() || type == market.machines.end()) continue;
    one.type = static_cast<int>(type - market.machines.begin());
    one.spot = text_at(item, {"metadata", "labels", kSpotLabel}) == "true";
    one.replicas = number_at(item, {"spec", "replicas"}, 1);
    one.ready = std::min(number_at(item, {"status", "readyReplicas"}, 0), one.replicas);
    found.push_back(std::move(one));
  }
  return found;
}

KubernetesProvider::KubernetesProvider(ProviderSetup setup)
    : setup_(std::move(setup)), load_(setup_.objective.latency_s) {
  if (deployments().empty()) {
    throw Error(
        fmt::format("namespace {} has no deployments of {} for these machines: apply those that `stash fleet "
                    "export --to kubernetes` writes first",
                    setup_.space, setup_.market->model));
  }
}

std::vector<std::string> KubernetesProvider::kubectl(std::vector<std::string> words) const {
  words.insert(words.begin(), "kubectl");
  words.insert(words.end(), {"--namespace", setup_.space, "--request-timeout", "20s"});
  return words;
}

std::string KubernetesProvider::selector() const {
  return fmt::format("{}={}", kModelLabel, label_value(setup_.market->model));
}

std::string KubernetesProvider::address() const {
  return fmt::format("http://{}.{}.svc:8000", service_name(setup_.market->model), setup_.space);
}

std::vector<KubernetesDeployment> KubernetesProvider::deployments() const {
  return read_deployments(
      run_cluster_command(kubectl({"get", "deployments", "--selector", selector(), "--output", "json"})),
      *setup_.market);
}

// Replicas have numbers, as those of a deployment are alike.
std::vector<LiveMachine> KubernetesProvider::look() {
  std::vector<LiveMachine> found;
  for (const KubernetesDeployment& one : deployments()) {
    for (int i = 0; i < one.replicas; ++i) {
      found.push_back({.id = fmt::format("{}/{}", one.name, i),
                       .type = one.type,
                       .spot = one.spot,
                       .state = i < one.ready ? MachineState::ready : MachineState::starting});
    }
  }
  return found;
}

// Only if nobody else has changed it in between.
void KubernetesProvider::scale(int type, bool spot, int change) const {
  for (const KubernetesDeployment& one : deployments()) {
    if (one.type != type || one.spot != spot) continue;
    run_cluster_command(kubectl({"scale", "deployment", one.name, "--current-replicas", std::to_string(one.replicas),
                                 "--replicas", std::to_string(std::max(one.replicas + change, 0))}));
    return;
  }
  throw Error(fmt::format("there is no deployment for {}{}: apply what `stash fleet export --to kubernetes` writes",
                          setup_.market->machines.at(static_cast<std::size_t>(type)).name, spot ? " (spot)" : ""));
}

void KubernetesProvider::read_load(LoadBook& book, double now_s) {
  if (!setup_.metrics.empty()) {
    for (const std::string& url : setup_.metrics) load_.add(url, fetch_metrics(url), book, now_s);
    return;
  }
  const nlohmann::json pods =
      parse_json(run_cluster_command(kubectl({"get", "pods", "--selector", selector(), "--output", "json"})),
                 "what kubectl printed");
  std::vector<std::string> names;
  for (const nlohmann::json& item : items_of(pods)) {
    if (text_at(item, {"status", "phase"}) == "Running") names.push_back(text_at(item, {"metadata", "name"}));
  }
  if (names.size() > kMostPods) {
    throw Error(fmt::format("{} pods are too many to ask one by one: name the address of a gateway with --metrics URL",
                            names.size()));
  }
  for (const std::string& name : names) {
    const std::string path = fmt::format("/api/v1/namespaces/{}/pods/{}:8000/proxy/metrics", setup_.space, name);
    load_.add(name, run_cluster_command({"kubectl", "get", "--raw", path, "--request-timeout", "20s"}), book, now_s);
  }
}

void KubernetesProvider::end(bool keeps_machines) {
  if (keeps_machines) return;
  for (const KubernetesDeployment& one : deployments()) {
    if (one.replicas > 0) scale(one.type, one.spot, -one.replicas);
  }
}

}  // namespace stash
