#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "stash/cli/flags/fleet_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/fleet_verbs.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/fleet/export/fleet_files.h"
#include "stash/fleet/export/planned_fleet.h"
#include "stash/fleet/market/rated_type.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr double kExportHeadRoom = 1.2;
constexpr int kMostExported = 1000;

class FleetExportVerb final : public Verb {
 public:
  std::string name() const override { return "export"; }
  std::string description() const override { return "Write the files with which others run a fleet"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--to", target_, "For whom")->type_name("kubernetes|kserve|skypilot|ray")->required();
    flags_.add_to(app);
    app.add_option(
           "--plan", plan_,
           "File of stash fleet plan --format json: its machines, its objective and, without --model, its model")
        ->type_name("FILE");
    app.add_option("--machines", machines_,
                   "In place of --plan, how many of which: 2*g4dn.xlarge, or 2-6*g4dn.xlarge for an autoscaler; "
                   "c6i.large:spot is a spot "
                   "machine; comma separated")
        ->type_name("LIST");
    app.add_option("--rate", rate_per_s_,
                   "In place of both: requests per second; as many of the type that is cheapest per request")
        ->type_name("N");
    app.add_option("--image", image_, "Container with a server of the Open Inference Protocol on port 8000")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--arguments", arguments_, "Words for the container, comma separated; default: those of stash serve")
        ->type_name("LIST");
    app.add_option("--namespace", space_, "Namespace of Kubernetes")->type_name("NAME")->capture_default_str();
    app.add_option("--folder", folder_, "Folder to write to; default: standard output")->type_name("DIR");
    app.footer(
        "Examples:\n"
        "  stash fleet export --to kubernetes --model resnet50 --objective 200ms --machines 2-6*g4dn.xlarge\n"
        "  stash fleet export --to skypilot --model resnet50 --objective 200ms --rate 500 --folder sky\n");
  }

  int run() override {
    if (std::ranges::find(kExportTargets, target_) == kExportTargets.end()) {
      throw_unknown("target", target_, kExportTargets);
    }
    const int ways = (plan_.empty() ? 0 : 1) + (machines_.empty() ? 0 : 1) + (rate_per_s_ ? 1 : 0);
    if (ways != 1) {
      throw UsageError("say how many machines in one way: --plan FILE, --machines 2*g4dn.xlarge, or --rate 300");
    }
    std::optional<PlannedFleet> plan;
    if (!plan_.empty()) {
      plan = read_planned_fleet(plan_);
      flags_.use_for_missing(plan->model, plan->objective_s);
    }
    const FleetObjective objective = flags_.objective();
    const Market market = flags_.market();
    FleetExport fleet{.market = &market,
                      .objective = objective,
                      .model = flags_.model_spec(),
                      .image = image_,
                      .arguments = split_list(arguments_),
                      .space = space_,
                      .machines = {}};
    fleet.machines = plan          ? planned_machines(*plan, market)
                     : rate_per_s_ ? of_rate(market, objective)
                                   : of_list(market);
    write(fleet_files(target_, fleet));
    return 0;
  }

 private:
  std::vector<ExportedMachines> of_rate(const Market& market, const FleetObjective& objective) const {
    if (!(*rate_per_s_ > 0 && *rate_per_s_ < 1e9)) throw UsageError("--rate takes a number above 0, like 300");
    const RatedType best = rated_types(market, objective).front();
    const double count = std::ceil(*rate_per_s_ * kExportHeadRoom / best.capacity.per_s);
    if (count > kMostExported) {
      throw UsageError(fmt::format("--rate {:g} takes {:.0f} {}, more than {}", *rate_per_s_, count,
                                   market.machines[best.type].name, kMostExported));
    }
    return {
        {.type = static_cast<int>(best.type), .count = static_cast<int>(count), .most = static_cast<int>(2 * count)}};
  }

  std::vector<ExportedMachines> of_list(const Market& market) const {
    std::vector<ExportedMachines> found;
    for (const std::string& word : split_list_strictly(machines_)) found.push_back(of_word(market, word));
    return found;
  }

  static ExportedMachines of_word(const Market& market, const std::string& word) {
    ExportedMachines machines;
    std::string name = word;
    const std::size_t star = word.find('*');
    if (star != std::string::npos) {
      name = word.substr(star + 1);
      const char* const end = word.data() + star;
      auto [rest, error] = std::from_chars(word.data(), end, machines.count);
      machines.most = machines.count;
      bool is_right = error == std::errc();
      if (is_right && rest != end) {
        const auto last = *rest == '-' ? std::from_chars(rest + 1, end, machines.most)
                                       : std::from_chars_result{rest, std::errc::invalid_argument};
        is_right = last.ec == std::errc() && last.ptr == end;
      }
      if (!is_right || machines.count < 1 || machines.most < machines.count || machines.most > kMostExported) {
        throw UsageError(fmt::format("--machines takes 2*NAME or 2-6*NAME, up to {}, not '{}'", kMostExported, word));
      }
    }
    if (name.ends_with(":spot")) {
      machines.spot = true;
      name.resize(name.size() - 5);
    }
    std::vector<std::string_view> names;
    for (const MachineType& type : market.machines) names.emplace_back(type.name);
    const auto type = std::ranges::find(names, name);
    if (type == names.end()) throw_unknown("machine", name, names);
    machines.type = static_cast<int>(type - names.begin());
    return machines;
  }

  void write(const std::vector<ExportedFile>& files) const {
    if (folder_.empty()) {
      std::string text;
      for (const ExportedFile& file : files) {
        text += (files.size() > 1 ? fmt::format("# ==== {}\n", file.name) : "") + file.text;
      }
      return print_or_write(text, "");
    }
    std::error_code fault;
    fs::create_directories(folder_, fault);
    if (!fs::is_directory(folder_)) throw UsageError(fmt::format("--folder {}: cannot make this folder", folder_));
    std::string text;
    for (const ExportedFile& file : files) {
      write_file_atomically(fs::path(folder_) / file.name, file.text);
      text += (fs::path(folder_) / file.name).string() + "\n";
    }
    print_or_write(text, "");
  }

  FleetFlags flags_;
  std::string target_;
  std::string plan_;
  std::string machines_;
  std::optional<double> rate_per_s_;
  std::string image_ = "stash:latest";
  std::string arguments_;
  std::string space_ = "default";
  std::string folder_;
};

}  // namespace

std::unique_ptr<Verb> make_fleet_export_verb() { return std::make_unique<FleetExportVerb>(); }

}  // namespace stash
