#include <fmt/format.h>

#include <map>

#include "stash/import/trace_report.h"

namespace stash {
namespace {

constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kNameShown_bytes = 80;
constexpr double kEnoughExplained_ratio = 0.9;
constexpr std::size_t kFewSteps = 3;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamesShown, names.size()); ++i) {
    text += fmt::format("{}'{}{}'", i == 0 ? "" : ", ", names[i].substr(0, kNameShown_bytes),
                        names[i].size() > kNameShown_bytes ? "…" : "");
  }
  return text;
}

class Warnings {
 public:
  explicit Warnings(const ImportedTrace& trace) : trace_(trace), file_(trace.path.filename().string()) {}

  std::vector<std::string> all() {
    about_reading();
    about_names();
    for (const TraceRank& rank : trace_.ranks) about_rank(rank);
    return std::move(found_);
  }

 private:
  template <class... Values>
  void warn(fmt::format_string<Values...> text, Values&&... values) {
    found_.push_back(file_ + " " + fmt::format(text, std::forward<Values>(values)...));
  }

  void about_reading() {
    const TraceRead& read = trace_.read;
    if (read.truncated) warn("ends too early: the {} events before its end are used", read.events);
    if (read.damaged > 0) warn("is damaged in {} places: the rest of it is used", read.damaged);
    if (read.too_large > 0) {
      warn("has {} values of more than {} kB; they are left out", read.too_large,
           EventReader::kLargestEvent_bytes / 1000);
    }
    if (trace_.unusable_events > 0) {
      warn("has {} kernels or operators without a usable time, duration or device; they are left out",
           trace_.unusable_events);
    }
  }

  void about_names() {
    if (!trace_.unrecognised_names.empty()) {
      warn("has kernels of names that are not recognised and count as compute: {}", listed(trace_.unrecognised_names));
    }
    if (trace_.unknown_events > 0) {
      warn("has {} events of categories that are not known and are left out: {}", trace_.unknown_events,
           listed(trace_.unknown_categories));
    }
  }

  void about_rank(const TraceRank& rank) {
    if (!rank.device) {
      warn("has no GPU kernels: parts are those of CPU operators; record ProfilerActivity.CUDA as well");
    }
    if (rank.steps_left_out > 0) {
      warn("ends before the last kernel of {} steps, which are left out", rank.steps_left_out);
    }
    if (rank.step_source == StepSource::whole) {
      warn("marks no steps, so the whole trace counts as one; call the profiler's step() after each");
    } else if (rank.steps.size() < kFewSteps) {
      warn("has fewer than {} steps ({}): more give steadier figures", kFewSteps, rank.steps.size());
    }
    if (rank.device && !rank.marked_on_gpu && rank.step_source != StepSource::whole) {
      warn("marks steps on the CPU only: averages are right, but single steps may include work of the step before");
    }
    if (rank.collectives == 0 && rank.communication_s == 0 && trace_.read.world_size.value_or(1) > 1) {
      warn("is of a job of {} ranks, yet no collective was found in it", *trace_.read.world_size);
    }
    if (!at(rank.parts, TracePart::input)) warn("marks no wait for input: it is in launch or unexplained");
    if (rank.explained_ratio() < kEnoughExplained_ratio) {
      warn("leaves {:.0f} % of a step unexplained", 100 * (1 - rank.explained_ratio()));
    }
  }

  const ImportedTrace& trace_;
  std::string file_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> trace_warnings(std::span<const ImportedTrace> traces) {
  std::vector<std::string> all;
  std::map<std::int64_t, std::string> files;
  for (const ImportedTrace& trace : traces) {
    for (std::string& warning : Warnings(trace).all()) all.push_back(std::move(warning));
    const auto [known, added] = files.emplace(trace.ranks.front().rank, trace.path.filename().string());
    if (!added) {
      all.push_back(fmt::format("{} and {} both say that they are rank {}; are they of one run?", known->second,
                                trace.path.filename().string(), known->first));
    }
  }
  return all;
}

}  // namespace stash
