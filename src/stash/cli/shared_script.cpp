#include "stash/cli/shared_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/why_nothing.h"
#include "stash/core/units.h"
#include "stash/launch/attached_command.h"
#include "stash/launch/protocol/event.h"
#include "stash/report/pool_report.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

class SharedScript {
 public:
  SharedScript(const std::vector<std::string>& command, const PoolSeat& seat) : command_(command), seat_(seat) {}

  int run() {
    const ScriptOrder order{.program = own_program().string(), .pool = seat_, .data = {}, .job = {}};
    const AttachedEnd ended =
        run_attached({.command = command_,
                      .package_folder = root_folder() / "python",
                      .on_line = [&](const std::string& file, std::string_view line) { take(file, line); },
                      .on_tick = {}},
                     order);
    if (const std::string text = bad_end(ended.end); !text.empty()) line_.say("stash: " + text);
    if (!ranks_.empty()) {
      line_.say("stash: " + summary());
    } else if (ended.attached == Attached::no_python) {
      line_.say("stash: " + why_nothing(ended.attached, command_));
    } else if (told_.empty()) {
      line_.say("stash: nothing was shared: no DataLoader with workers was used");
    }
    return ended.end.exit_code;
  }

 private:
  // The command continues whatever its processes report.
  void take(const std::string& file, std::string_view line) {
    try {
      const RankEvent event = event_from_line(line);
      if (const auto* trained = std::get_if<TrainedEvent>(&event)) ranks_[file] = trained->trained;
      if (const auto* warning = std::get_if<WarningEvent>(&event)) tell(warning->text);
    } catch (const std::exception& error) {
      tell(error.what());
    }
  }

  void tell(const std::string& text) {
    if (told_.insert(text).second) line_.say("stash: " + printable(text));
  }

  // Over all ranks; of their times the mean.
  std::string summary() const {
    double samples = 0, s = 0, waited_s = 0;
    int workers = 1;
    for (const auto& [file, rank] : ranks_) {
      samples += rank.samples;
      s += rank.s / static_cast<double>(ranks_.size());
      waited_s += rank.waited_s / static_cast<double>(ranks_.size());
      workers = rank.workers;
    }
    return fmt::format(
        "{} samples in {}: {} per second, {:.0f} % of the time waiting for input; {} workers per rank at "
        "the end",
        format_count(std::llround(samples)), format_duration(s), pool_rate_text(s > 0 ? samples / s : 0),
        s > 0 ? 100 * std::min(waited_s / s, 1.0) : 0, workers);
  }

  const std::vector<std::string>& command_;
  const PoolSeat& seat_;
  std::map<std::string, TrainedSoFar> ranks_;  // by the file that they report to
  std::set<std::string> told_;
  StatusLine line_;
};

}  // namespace

int run_shared_script(const std::vector<std::string>& command, const PoolSeat& seat) {
  return SharedScript(command, seat).run();
}

}  // namespace stash
