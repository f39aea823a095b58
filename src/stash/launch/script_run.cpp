#include "stash/launch/script_run.h"

#include <fmt/format.h>

#include <map>
#include <new>
#include <optional>

#include "stash/core/error.h"
#include "stash/launch/run_clock.h"

namespace stash {
namespace {

// Takes what the processes of a command report. Of several trainings that follow each other the first is measured: the
// first process that says what its job is, is its rank 0.
class Reports {
 public:
  Reports(Collector& collector, const ScriptRunOptions& options) : collector_(collector), options_(options) {}

  void take(const std::string& file, std::string_view line) {
    try {
      const RankEvent event = event_from_line(line);
      if (std::holds_alternative<JobEvent>(event) && rank_0_.empty()) rank_0_ = file;
      if (const auto* recorded = std::get_if<RecordedEvent>(&event)) return read(*recorded);
      if (file == rank_0_ || is_about_itself(event)) collector_.take(number_of(file), event);
    } catch (const std::exception& error) {
      collector_.misunderstood(number_of(file), error.what());
    }
  }
  bool found() const { return !rank_0_.empty(); }

 private:
  void read(const RecordedEvent& recorded) {
    const auto warn = [&](std::string_view why) {
      collector_.take(0, WarningEvent{0, fmt::format("what a step consists of is not known: {}", why)});
    };
    try {
      if (options_.read_work) collector_.take(options_.read_work(recorded));
    } catch (const std::bad_alloc&) {
      warn("there was not enough memory to read what was recorded");
    } catch (const Error& error) {
      warn(error.what());
    }
  }

  // What counts from every process, not only from rank 0.
  static bool is_about_itself(const RankEvent& event) {
    return std::holds_alternative<WarningEvent>(event) || std::holds_alternative<ErrorEvent>(event) ||
           std::holds_alternative<ElsewhereEvent>(event);
  }
  int number_of(const std::string& file) {
    if (file == rank_0_) return 0;
    return numbers_.try_emplace(file, static_cast<int>(numbers_.size()) + 1).first->second;
  }

  Collector& collector_;
  const ScriptRunOptions& options_;
  std::string rank_0_;  // the file that it reports to
  std::map<std::string, int> numbers_;
};

ScriptOrder order_of(const Job& job, const ScriptRunOptions& options) {
  ScriptOrder order{.program = options.program.string(),
                    .keep_training = options.keep_training,
                    .records_work = options.read_work != nullptr,
                    .tries = options.tries,
                    .input = {},
                    .data = {},
                    .job = job};
  if (!options.input.empty()) order.input = options.input;
  if (!job.data.empty()) order.data = std::filesystem::absolute(job.data).string();
  return order;
}

}  // namespace

ScriptRun run_script(Profile profile, const ScriptRunOptions& options) {
  const RunClock clock;
  const ScriptOrder order = order_of(profile.job, options);
  Collector collector(std::move(profile));
  Reports reports(collector, options);
  const AttachedEnd ended =
      run_attached({.command = order.job.command,
                    .package_folder = options.package_folder,
                    .on_line = [&](const std::string& file, std::string_view line) { reports.take(file, line); },
                    .on_tick =
                        [&] {
                          collector.note_cache_room();
                          if (options.on_tick) options.on_tick(collector);
                        }},
                   order);

  std::optional<StoppedBy> ended_by;
  if (!collector.stopped()) ended_by = ended.end.exit_code == 0 ? StoppedBy::interrupted : StoppedBy::fault;
  return {.profile = clock.finish(collector, ended_by),
          .end = ended.end,
          .attached = reports.found() ? Attached::trained : ended.attached,
          .errors = collector.errors(),
          .elsewhere = collector.elsewhere()};
}

}  // namespace stash
