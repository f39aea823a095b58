#include "stash/launch/script_run.h"

#include <nlohmann/json.hpp>

#include "stash/core/clock.h"
#include "stash/core/profile_json.h"
#include "stash/launch/stolen_time.h"

namespace stash {
namespace {

// Which file belongs to rank 0 of the training that is measured: the first that says what its job is.
class Selector {
 public:
  // The rank's number for the collector; nullopt: the line belongs to another training.
  std::optional<int> rank_of(const std::string& file, std::string_view line) {
    if (is_event(line, "job") && chosen_.empty()) chosen_ = file;
    if (file == chosen_) return 0;
    for (const std::string_view name : {"job", "window", "trace", "stopped"}) {
      if (is_event(line, name)) return std::nullopt;
    }
    return numbers_.try_emplace(file, static_cast<int>(numbers_.size()) + 1).first->second;
  }
  bool found() const { return !chosen_.empty(); }

 private:
  static bool is_event(std::string_view line, std::string_view name) {
    return line.find("\"event\":\"" + std::string(name) + '"') != std::string_view::npos;
  }

  std::string chosen_;
  std::map<std::string, int> numbers_;
};

}  // namespace

ScriptRun run_script(Profile profile, const ScriptRunOptions& options) {
  const std::int64_t started_ns = now_ns();
  const StolenTime stolen;
  const Job job = profile.job;
  Collector collector(std::move(profile));
  Selector selector;
  const AttachedEnd ended = run_attached(
      {.command = job.command,
       .mode = "run",
       .package_folder = options.package_folder,
       .data = job.data,
       .on_line =
           [&](const std::string& file, std::string_view line) {
             if (const auto rank = selector.rank_of(file, line)) collector.take(*rank, line);
           },
       .on_tick =
           [&] {
             note_cache_room(collector);
             if (options.on_tick) options.on_tick(collector);
           }},
      {{"program", options.program.string()}, {"keep_training", options.keep_training}, {"job", to_json(job)}});

  ScriptRun run{.profile = collector.profile(),
                .end = ended.end,
                .attached = ended.attached,
                .errors = collector.errors(),
                .elsewhere = collector.elsewhere()};
  if (selector.found()) run.attached = Attached::trained;
  run.profile.elapsed_s = seconds(now_ns() - started_ns);
  run.profile.stolen_ratio = stolen.ratio();
  run.profile.complete = collector.stopped();
  if (!collector.stopped()) run.profile.stopped_by = run.end.exit_code == 0 ? StoppedBy::interrupted : StoppedBy::fault;
  return run;
}

}  // namespace stash
