#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stash/battery/battery.h"
#include "stash/battery/battery_folder.h"
#include "stash/battery/figure.h"
#include "stash/core/ledger.h"
#include "stash/core/machine.h"
#include "stash/core/profile.h"

namespace stash {

enum class CaseState { finished, failed, unfit, left };
constexpr std::string_view to_string(CaseState state) {
  return state == CaseState::finished ? "finished"
         : state == CaseState::failed ? "failed"
         : state == CaseState::unfit  ? "unfit"
                                      : "left";
}

// A case and what is known of it. Figures are absent unless it is finished.
struct CaseResult {
  Case of;
  CaseState state = CaseState::left;
  std::string why;               // of failed, unfit and left: a sentence without a full stop
  std::optional<Ledger> ledger;  // with the study's percentages: Ledger::published
  std::optional<StoppedBy> stopped_by;
  std::optional<double> elapsed_s;  // that it took to measure
  std::optional<double> samples_per_s;
  std::optional<double> compute_ratio;  // of the step: how busy a GPU is
  std::optional<double> epoch_samples;
  std::optional<double> first_epoch_s;  // nothing is cached
  std::optional<double> epoch_s;        // later ones, with what the page cache holds of that many samples
  std::optional<double> epoch_low_s, epoch_high_s;
  std::optional<double> epoch_usd;  // of a later one
};

// What a battery found, whole: a page can be made of it, and of the profiles where it is to show windows or layers.
struct BatterySummary {
  std::string name;      // of its folder
  std::string instance;  // of the catalogue; empty: none was named
  Machine machine;
  std::optional<int> machines;      // as Battery::machines; `machine` is that of rank 0
  std::optional<double> usd_per_h;  // of all these machines together
  std::vector<CaseResult> cases;    // in the order of the plan
  std::vector<Figure> figures;      // of machine.json, and the links that the profiles timed
};

// From what lies in the folder. A file that cannot be read becomes a row with its reason. Error: it is no battery's
// folder, or nothing is in it. A price that is given stands over the battery's own.
BatterySummary summarize(const BatteryFolder& folder, std::optional<double> usd_per_h = {});

// The row of a measured case. `epoch_samples` of the plan stand over those that the data tells.
CaseResult result_of(const Case& one, const Profile& profile, const Battery& plan);

// The finished ones.
std::vector<const CaseResult*> finished_cases(const BatterySummary& summary);

// All-reduce latency and rate inside a node and over all, exchanges between nodes: each of the profile with the most
// ranks that has it.
std::vector<Figure> link_figures(const std::vector<Profile>& profiles);

}  // namespace stash
