#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

#include "stash/attribute/attribute.h"
#include "stash/cli/flags/given_flags.h"
#include "stash/cli/flags/script_flags.h"
#include "stash/cli/flags/seat_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"
#include "stash/cli/why_nothing.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/import/read_work.h"
#include "stash/input/dataset/dataset_bytes.h"
#include "stash/launch/machine_info.h"
#include "stash/launch/script_run.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

class RunVerb final : public Verb {
 public:
  explicit RunVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "run"; }
  std::string description() const override { return "Measure your own training script, unedited"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    add_profile_out(app, out_);
    app.add_option("--input", input_,
                   "Function of the script that returns a batch, where it has no loader: get_batch, module:function or "
                   "Class.method")
        ->type_name("FUNCTION");
    app.add_flag("--keep-training", keep_training_,
                 "Continue training after the measurement, with weights, optimizer and random numbers restored");
    app.add_flag("--no-work", no_work_,
                 "Do not record two steps with torch's profiler; nothing can be predicted from the profile then");
    app.add_flag(
        "--try", tries_,
        "Measure fixes too, each beside the conditions of the same rounds; say what was tried and what was not");
    output_.add_to(app);
    app.add_flag("--share", share_,
                 "Measure nothing: load with as many of the DataLoaders' workers as the pool gives the script");
    seat_.add_to(app);
    seat_.add_samples(app);
    app_ = &app;
    app.footer(
        "Examples:\n"
        "  stash run -- python train.py --epochs 1\n"
        "  stash run --data /data/train --out mine.json -- torchrun --nproc-per-node 8 train.py --batch 64\n"
        "  stash run --input get_batch -- python train.py\n"
        "  stash run --try -- torchrun --nproc-per-node 2 train.py     (measures fixes too)\n"
        "  stash run --keep-training -- accelerate launch train.py\n"
        "  stash run --share -- torchrun --nproc-per-node 8 train.py    (docs/sharing.md)\n"
        "The report goes to stderr, unless --format is given: the script's stdout stays its own.\n");
  }

  int run() override {
    check_sharing();
    if (share_) return rest_.run_shared_script(flags_.command, seat_.resolve(script_name(flags_.command)));
    output_.check();
    Profile profile;
    profile.job = flags_.resolve();
    check_writable(out_);
    profile.machine = describe_machine(profile.job.data);
    if (!profile.job.data.empty()) profile.dataset_bytes = count_bytes(profile.job.data);
    RunProgress progress;
    const ScriptRun result = run_script(std::move(profile), {.program = own_program(),
                                                             .package_folder = root_folder() / "python",
                                                             .keep_training = keep_training_,
                                                             .tries = tries_,
                                                             .input = checked_input(),
                                                             .read_work = reader_of_work(),
                                                             .on_tick = [&](const Collector& c) {
                                                               if (!c.profile().windows.empty()) progress.show(c);
                                                               tell_errors(c.errors());
                                                             }});
    return finish(result);
  }

 private:
  // Flags that would do nothing.
  void check_sharing() const {
    constexpr std::array<std::string_view, 5> kOfPool{"--socket", "--name", "--min-workers", "--max-workers",
                                                      "--samples"};
    for (const auto& [name, value] : given_flags(*app_)) {
      if (!name.starts_with("--") || name == "--share") continue;
      const bool of_pool = std::ranges::find(kOfPool, name) != kOfPool.end();
      if (of_pool && !share_) throw UsageError(fmt::format("{} belongs to a pool: it needs --share", name));
      if (!of_pool && share_) {
        throw UsageError(fmt::format("{} has no meaning with --share, which measures nothing", name));
      }
    }
  }

  std::function<ScriptWork(const RecordedEvent&)> reader_of_work() const {
    if (no_work_) return {};
    return [](const RecordedEvent& recorded) {
      ScriptWork work = read_work(
          recorded.trace,
          {.batch = recorded.batch, .sample_bytes = recorded.sample_bytes, .parameters = recorded.parameters});
      std::error_code left_behind;  // the folder goes with the run
      std::filesystem::remove(recorded.trace, left_behind);
      return work;
    };
  }

  std::string checked_input() const {
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    if (std::ranges::all_of(input_, is_name) && std::ranges::count(input_, ':') < 2) return input_;
    throw UsageError(fmt::format(
        "--input {}: not the name of a function; such as get_batch, data:get_batch or Loader.next", input_));
  }

  // At once: the script continues, perhaps for hours, and nothing is measured any more.
  void tell_errors(const RankErrors& errors) {
    for (const auto& [rank, error] : errors) {
      if (told_.insert(error.message).second) StatusLine().say(fmt::format("stash: {}", error.message));
    }
  }

  int finish(const ScriptRun& result) {
    tell_errors(result.errors);
    StatusLine line;
    if (const std::string text = bad_end(result.end); !text.empty()) line.say("stash: " + text);
    const bool has_ledger = count_complete_rounds(result.profile) >= kFewestRounds;
    if (has_ledger) {
      output_.print_beside_script(result.profile);
      write_profile(out_, result.profile);
      line.say(fmt::format("profile: {}{}", out_, result.profile.complete ? "" : " (incomplete)"));
    } else if (!result.elsewhere.empty()) {
      line.say(fmt::format("stash: rank 0 of this job runs on {}: the report is there", printable(result.elsewhere)));
    } else if (result.attached == Attached::trained) {
      line.say(too_short(result.profile));
    } else if (result.errors.empty()) {
      line.say(fmt::format("stash: {}", why_nothing(result.attached, result.profile.job.command)));
    }
    return result.end.exit_code;
  }

  static std::string too_short(const Profile& profile) {
    const int rounds = count_complete_rounds(profile);
    int steps = 0;
    for (const Window& window : profile.windows) steps += window.steps;
    return fmt::format(
        "stash: the script ended after {} complete rounds and {} measured steps; an interval needs {} rounds: "
        "let it make more steps, or measure less with --conditions",
        rounds, steps, kFewestRounds);
  }

  RestOfProgram rest_;
  ScriptFlags flags_;
  ReportOutput output_;
  std::string out_ = "stash-profile.json";
  std::string input_;
  bool keep_training_ = false;
  bool share_ = false;
  SeatFlags seat_;
  const CLI::App* app_ = nullptr;
  bool no_work_ = false;
  bool tries_ = false;
  std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Verb> make_run_verb(const RestOfProgram& rest) { return std::make_unique<RunVerb>(rest); }

}  // namespace stash
