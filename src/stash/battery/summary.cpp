#include "stash/battery/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "stash/attribute/attribute.h"
#include "stash/attribute/links.h"
#include "stash/battery/epoch.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/input/dataset/default_dataset.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFigures = 16u << 20;

bool is_link(const Figure& figure) { return figure.name.starts_with("link_"); }

class Summarizer {
 public:
  explicit Summarizer(const BatteryFolder& folder) : folder_(folder) {}

  BatterySummary run(std::optional<double> usd_per_h) {
    plan_ = folder_.plan().value_or(Battery{});
    if (usd_per_h) plan_.usd_per_h = usd_per_h;
    for (const Case& one : plan_.cases) add_planned(one);
    for (const std::string& name : folder_.profile_names()) {
      if (!seen_.contains(name)) add_found(name);
    }
    summary_.name = name_of(folder_.path());
    summary_.instance = plan_.instance;
    summary_.machines = plan_.machines;
    summary_.usd_per_h = plan_.usd_per_h;
    if (summary_.cases.empty()) {
      throw Error(fmt::format("'{}' holds no cases: make them with 'stash characterize --out {}'",
                              folder_.path().string(), folder_.path().string()));
    }
    add_figures();
    return std::move(summary_);
  }

 private:
  static std::string name_of(const fs::path& path) {
    const fs::path absolute = fs::absolute(path).lexically_normal();
    return absolute.has_filename() ? absolute.filename().string() : absolute.parent_path().filename().string();
  }

  void add_planned(const Case& one) {
    seen_.insert(one.name);
    if (const auto profile = folder_.finished(one)) return add(one, *profile);
    CaseResult& result = summary_.cases.emplace_back();
    result.of = one;
    const auto failure = folder_.failure(one);
    result.state = !one.why_not.empty() ? CaseState::unfit : failure ? CaseState::failed : CaseState::left;
    result.why = !one.why_not.empty() ? one.why_not : failure.value_or("not measured yet");
  }

  // A profile that no plan knows: somebody put it there, or the plan is gone.
  void add_found(const std::string& name) {
    Case one{.name = name, .job = {}, .nodes = 1, .why_not = {}};
    try {
      const Profile profile = read_profile(folder_.profile_file(name));
      one.job = profile.job;
      if (is_default_dataset(one.job.data)) one.job.data.clear();  // as in a planned case
      one.nodes = count_nodes(profile.places);
      add(one, profile);
    } catch (const Error& error) {
      CaseResult& result = summary_.cases.emplace_back();
      result.of = std::move(one);
      result.state = CaseState::failed;
      result.why = error.what();
    }
  }

  void add(const Case& one, const Profile& profile) {
    summary_.cases.push_back(result_of(one, profile, plan_));
    if (summary_.machine.hostname.empty()) summary_.machine = profile.machine;
    Profile& kept = links_of_.emplace_back();
    kept.job = profile.job;
    kept.links = profile.links;
  }

  void add_figures() {
    std::error_code ignored;
    if (const fs::path file = folder_.file("machine.json"); fs::exists(file, ignored)) {
      summary_.figures = figures_from_json_text(read_file(file, kLargestFigures));
    }
    std::erase_if(summary_.figures, [](const Figure& figure) { return is_link(figure) || figure.name == "copy"; });
    std::ranges::move(link_figures(links_of_), std::back_inserter(summary_.figures));
  }

  const BatteryFolder& folder_;
  Battery plan_;
  std::set<std::string> seen_;
  std::vector<Profile> links_of_;  // without all else
  BatterySummary summary_;
};

// The profile holds the median of a few repeats, with the smallest and the largest.
Figure rate_figure(std::string name, const LinkTime& best) {
  const double per_s = bus_bytes_per_s(best);
  Figure figure = absent_figure(std::move(name), fmt::format("ranks={}", best.ranks), "bytes_per_s", "");
  if (!(per_s > 0) || !(best.low_s > 0) || !(best.high_s > 0)) {
    figure.why_absent = "no call took any time";
    return figure;
  }
  figure.median = per_s;
  figure.low = per_s * best.s / best.high_s;
  figure.high = per_s * best.s / best.low_s;
  return figure;
}

// Empty: of no interest.
std::string figure_name(const LinkTime& first) {
  if (first.node != 0) return "";
  if (first.scope == "pair") return "link_pair";
  if (first.scope == "host") return "copy_" + first.op;
  if (first.op != "allreduce") return "";
  return first.scope == "node" ? "link_node" : first.scope == "joined" ? "link_joined" : "";
}

void add_link(std::vector<Figure>& figures, const std::vector<LinkTime>& rows, std::string name) {
  Figure rate = rate_figure(name + "_rate", *std::ranges::max_element(rows, {}, bus_bytes_per_s));
  if (rows.front().scope == "host") {
    rate.name = "copy";
    rate.setting = rows.front().op;
    figures.push_back(std::move(rate));
    return;
  }
  figures.push_back(std::move(rate));
  const LinkTime& smallest = *std::ranges::min_element(rows, {}, &LinkTime::bytes);
  Figure latency =
      absent_figure(name + "_latency", fmt::format("ranks={},{} B", smallest.ranks, smallest.bytes), "s", "");
  latency.median = smallest.s;
  latency.low = smallest.low_s;
  latency.high = smallest.high_s;
  figures.push_back(std::move(latency));
}

}  // namespace

CaseResult result_of(const Case& one, const Profile& profile, const Battery& plan) {
  CaseResult result;
  result.of = one;
  result.state = CaseState::finished;
  const Ledger ledger = attribute(profile);
  result.stopped_by = profile.stopped_by;
  result.elapsed_s = profile.elapsed_s;
  result.ledger = ledger;
  if (!(ledger.step.s > 0) || profile.job.batch == 0) return result;
  result.samples_per_s = static_cast<double>(profile.job.batch) * profile.job.ranks / ledger.step.s;
  if (ledger[Part::compute]) result.compute_ratio = ledger[Part::compute]->s / ledger.step.s;
  const bool own_data = !one.job.data.empty() && profile.dataset_samples;
  const double samples = plan.epoch_samples ? *plan.epoch_samples
                         : own_data         ? static_cast<double>(*profile.dataset_samples)
                                            : default_epoch_samples(profile.job);
  const EpochTime epoch = epoch_time(profile, ledger, samples);
  result.epoch_samples = epoch.samples;
  result.first_epoch_s = epoch.first_s;
  result.epoch_s = epoch.later.s;
  result.epoch_low_s = epoch.later.low_s;
  result.epoch_high_s = epoch.later.high_s;
  if (plan.usd_per_h) result.epoch_usd = epoch.later.s / kSecondsPerHour * *plan.usd_per_h;
  return result;
}

std::vector<Figure> link_figures(const std::vector<Profile>& profiles) {
  std::map<std::string, const Profile*> most;
  std::map<std::string, std::vector<LinkTime>> chosen;
  for (const Profile& profile : profiles) {
    for (auto& rows : group_links(profile.links)) {
      const std::string name = figure_name(rows.front());
      if (name.empty() || (most[name] != nullptr && most[name]->job.ranks >= profile.job.ranks)) continue;
      most[name] = &profile;
      chosen[name] = std::move(rows);
    }
  }
  std::vector<Figure> figures;
  for (const auto& [name, rows] : chosen) add_link(figures, rows, name);
  const bool has_copies = std::ranges::any_of(figures, [](const Figure& figure) { return figure.name == "copy"; });
  if (!has_copies) figures.push_back(absent_figure("copy", "", "bytes_per_s", "no case on a GPU is finished"));
  if (!std::ranges::any_of(figures, is_link)) {
    figures.push_back(absent_figure("link_node_rate", "", "bytes_per_s", "no case with several ranks is finished"));
  }
  return figures;
}

std::vector<const CaseResult*> finished_cases(const BatterySummary& summary) {
  std::vector<const CaseResult*> finished;
  for (const CaseResult& result : summary.cases) {
    if (result.state == CaseState::finished) finished.push_back(&result);
  }
  return finished;
}

BatterySummary summarize(const BatteryFolder& folder, std::optional<double> usd_per_h) {
  return Summarizer(folder).run(usd_per_h);
}

}  // namespace stash
