// The study's way beside ours: every condition as a run of its own, one after the other, against one launch whose
// conditions alternate. Same jobs, same truth: bench/separate_runs [--stash FILE].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "case_run.h"
#include "stash/attribute/attribute.h"
#include "stash/core/clock.h"
#include "truth.h"

namespace {

using namespace stash::bench;
using stash::Condition;
using stash::Job;
using stash::Part;
using stash::Profile;

namespace fs = std::filesystem;

constexpr std::array kChain{Condition::solo, Condition::apart, Condition::node, Condition::hot, Condition::cold};

struct Outcome {
  std::array<double, kChain.size()> parts_s{};
  double elapsed_s = 0;
};

double mean_step_s(const Profile& profile) {
  double sum_s = 0;
  for (const stash::Window& window : profile.windows) {
    double slowest_s = 0;
    for (const auto& rank : window.ranks) slowest_s = std::max(slowest_s, rank ? rank->wall_s : 0);
    sum_s += slowest_s / window.steps;
  }
  return sum_s / static_cast<double>(profile.windows.size());
}

// `rounds` becomes how many rounds there were.
Outcome in_one_launch(const fs::path& program, const Job& job, const fs::path& out, int& rounds) {
  const std::int64_t start_ns = stash::now_ns();
  const Profile profile = run_profile(program, job, out);
  const stash::Ledger ledger = attribute(profile);
  rounds = count_complete_rounds(profile);
  Outcome outcome;
  for (std::size_t i = 0; i < kChain.size(); ++i) outcome.parts_s[i] = ledger[part_added_by(kChain[i])]->s;
  outcome.elapsed_s = stash::seconds(stash::now_ns() - start_ns);
  return outcome;
}

Outcome in_separate_runs(const fs::path& program, Job job, const fs::path& out) {
  const std::int64_t start_ns = stash::now_ns();
  Outcome outcome;
  double before_s = 0;
  for (std::size_t i = 0; i < kChain.size(); ++i) {
    job.conditions = {kChain[i]};
    const double step_s = mean_step_s(run_profile(program, job, out));
    outcome.parts_s[i] = step_s - before_s;
    before_s = step_s;
  }
  outcome.elapsed_s = stash::seconds(stash::now_ns() - start_ns);
  return outcome;
}

double worst_points(const Outcome& outcome, const Truth& truth) {
  double worst = 0;
  for (std::size_t i = 0; i < kChain.size(); ++i) {
    worst = std::max(worst, std::abs(outcome.parts_s[i] - truth.part_s(part_added_by(kChain[i]))) / truth.cold_s * 100);
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Every condition as a run of its own, against one launch: error and time");
  std::string program = "./stash";
  std::string folder = (fs::temp_directory_path() / "stash-bench").string();
  app.add_option("--stash", program, "The entry script or the program")->capture_default_str();
  app.add_option("--folder", folder, "For the data set and the profiles")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  fs::create_directories(folder);
  const fs::path data = tiny_dataset(folder);
  const fs::path out = fs::path(folder) / "separate.json";
  const double bytes = mean_file_bytes(data);
  fmt::print("{:<64}{:>16}{:>12}{:>16}{:>12}\n", "injected", "one launch, pts", "s", "separate, pts", "s");
  double one_s = 0, separate_s = 0;
  for (const char* inject : {"link=2Gbit/s", "link=500Mbit/s,rank1=+20ms", "link=1Gbit/s,prep=12ms/sample",
                             "link=1Gbit/s,prep=8ms/sample,read=100kB/s"}) {
    Job job = make_job("squeezenet1_0", 96, 8, "K80", 2, 1, inject, data);
    job.max_time_s = 40;
    const Truth truth = true_ledger(job, bytes);
    Job same = job;
    const Outcome one = in_one_launch(program, job, out, same.rounds);
    same.precision_ratio = 1e-6;  // never reached: as many rounds, and so as many steps
    const Outcome separate = in_separate_runs(program, same, out);
    fmt::print("{:<64}{:>16.2f}{:>12.1f}{:>16.2f}{:>12.1f}\n", inject, worst_points(one, truth), one.elapsed_s,
               worst_points(separate, truth), separate.elapsed_s);
    std::fflush(stdout);
    one_s += one.elapsed_s;
    separate_s += separate.elapsed_s;
  }
  fmt::print("separate runs take {:.1f} times as long\n", separate_s / one_s);
  return 0;
}
