// How far the ledger is from the truth on injected cases:
// bench/accuracy [--cases N] [--stash FILE] [--least-covered RATIO].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "case_run.h"
#include "stash/attribute/attribute.h"
#include "stash/core/clock.h"
#include "truth.h"

namespace {

using namespace stash::bench;
using stash::Job;
using stash::Ledger;
using stash::Part;
using stash::Profile;

namespace fs = std::filesystem;

constexpr std::array kJudged{Part::compute, Part::contention, Part::interconnect, Part::prep, Part::fetch};

// A case meanwhile the hypervisor took the CPU away says nothing about the tool: it is run again, whatever it gave.
constexpr double kStolenRatio = 0.02;
constexpr int kMostRepeats = 3;

struct Network {
  const char* model;
  int image_size;
  int batch;
  const char* gpu;
};

// Small gradients and long steps, so that two cores carry them well within the time of the injected link.
constexpr std::array kNetworks{Network{"squeezenet1_0", 96, 8, "K80"}, Network{"squeezenet1_0", 224, 40, "T4"},
                               Network{"shufflenet_v2_x0_5", 224, 12, "K80"}, Network{"squeezenet1_0", 128, 32, "M60"}};

// Stalls alone and mixed, small and large. Times are shares of the job's own step, so that each matters everywhere.
// Where input is the bottleneck both its stages are injected, and so cover the real reading and decoding.
struct Stalls {
  double link_ratio;   // of the step: how long the link needs for the gradients; 0: a link that is hidden
  double delay_ratio;  // of the last rank
  double prep_ratio;   // of the step before it: 0.5 is hidden, 1.3 costs 0.3
  double read_ratio;   // of the same
};
constexpr std::array kStalls{Stalls{0.3, 0, 0, 0},      Stalls{2.5, 0, 0, 0},       Stalls{0.3, 0.1, 0, 0},
                             Stalls{0.3, 0.8, 0, 0},    Stalls{0.3, 0, 1.15, 0.3},  Stalls{0.3, 0, 3, 0.3},
                             Stalls{0.3, 0, 0.3, 0.85}, Stalls{0.3, 0, 0.3, 2.7},   Stalls{1.2, 0.3, 0, 0},
                             Stalls{0.3, 0, 1.3, 0.5},  Stalls{1.5, 0.2, 1.2, 0.3}, Stalls{1.2, 0.3, 1.4, 0.6}};

std::string injection(const Network& network, const Stalls& stalls, int ranks, const fs::path& data, double bytes) {
  Job job = make_job(network.model, network.image_size, network.batch, network.gpu, ranks, 1, "", data);
  job.inject.link_bytes_per_s = 1e15;
  const double step_s = true_ledger(job, bytes).solo_s;
  stash::Injection inject;
  if (ranks > 1) {
    // The rate at which all gradients take link_ratio of a step.
    job.inject.link_bytes_per_s = 1;
    Job one_byte = job;
    const double all_s = true_ledger(one_byte, bytes).node_s;
    inject.link_bytes_per_s = all_s / (stalls.link_ratio * step_s);
    if (stalls.delay_ratio > 0) inject.rank_delay_s[ranks - 1] = stalls.delay_ratio * step_s;
  }
  job.inject = inject;
  if (ranks == 1) job.inject.link_bytes_per_s = 1e15;
  const double before_s = true_ledger(job, bytes).node_s;
  if (stalls.prep_ratio > 0) inject.prep_s_per_sample = stalls.prep_ratio * before_s / network.batch;
  if (stalls.read_ratio > 0) inject.read_bytes_per_s = bytes * network.batch / (stalls.read_ratio * before_s);
  return to_string(inject);
}

struct Errors {
  std::vector<double> points;  // of the step
  int covered = 0;
  int judged = 0;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

void judge(const Ledger& ledger, const Truth& truth, std::map<Part, Errors>& errors, std::string& row) {
  for (const Part part : kJudged) {
    if (!ledger[part]) {
      row += fmt::format("{:>16}", "-");
      continue;
    }
    const double true_s = truth.part_s(part);
    const double error = (ledger[part]->s - true_s) / truth.cold_s;
    Errors& own = errors[part];
    own.points.push_back(std::abs(error) * 100);
    own.judged += 1;
    own.covered += ledger[part]->low_s <= true_s && true_s <= ledger[part]->high_s;
    row += fmt::format("{:>8.2f}{:>+8.2f}", true_s * 1e3, error * 100);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How far the ledger is from what was injected, on the emulated accelerator");
  std::string program = "./stash";
  std::string folder = (fs::temp_directory_path() / "stash-bench").string();
  int first = 0;
  int most = 48;
  double max_time_s = 60;
  double least_covered = 0;
  app.add_option("--stash", program, "The entry script or the program")->capture_default_str();
  app.add_option("--folder", folder, "For the data set and the profiles")->capture_default_str();
  app.add_option("--first", first, "The number of the first case")->capture_default_str();
  app.add_option("--cases", most, "How many of the 48")->capture_default_str();
  app.add_option("--max-time", max_time_s, "Seconds of a case")->capture_default_str();
  app.add_option("--least-covered", least_covered, "Fail if fewer intervals than this share hold the truth")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  fs::create_directories(folder);
  const fs::path data = tiny_dataset(folder);
  const double bytes = mean_file_bytes(data);
  std::map<Part, Errors> errors;
  const std::int64_t start_ns = stash::now_ns();
  int by_precision = 0, done = 0, repeated = 0;
  fmt::print(
      "case, step; then for compute, contention, interconnect, prep, fetch: truth in ms, error in points of the "
      "step\n");
  for (int i = first; i < std::min(first + most, 48); ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Stalls& stalls = kStalls[n % kStalls.size()];
    const Network& network = kNetworks[n / kStalls.size() % kNetworks.size()];
    const int ranks = i % 7 == 6 ? 1 : i % 5 == 3 ? 4 : i % 3 == 1 ? 3 : 2;
    Job job = make_job(network.model, network.image_size, network.batch, network.gpu, ranks, 1,
                       injection(network, stalls, ranks, data, bytes), data);
    job.max_time_s = max_time_s;
    job.seed = n + 1;
    const fs::path out = fs::path(folder) / fmt::format("case-{}.json", i);
    Profile profile = run_profile(program, job, out);
    for (int again = 0; again < kMostRepeats && profile.stolen_ratio.value_or(0) > kStolenRatio; ++again) {
      repeated += 1;
      profile = run_profile(program, job, out);
    }
    if (ranks == 1) job.inject.link_bytes_per_s = 1e15;
    const Truth truth = true_ledger(job, bytes);
    const Ledger ledger = attribute(profile);
    by_precision += profile.stopped_by == stash::StoppedBy::precision;
    done += 1;
    std::string row = fmt::format("{:>2} {} {} x{} {:>8.2f} ms {:>4.1f} % stolen", i, network.model, network.gpu, ranks,
                                  truth.cold_s * 1e3, 100 * profile.stolen_ratio.value_or(0));
    judge(ledger, truth, errors, row);
    fmt::print("{}\n", row);
    std::fflush(stdout);
  }
  fmt::print("\n{:<14}{:>8}{:>10}{:>10}{:>16}\n", "part", "cases", "median", "worst", "covered");
  std::vector<double> all;
  int covered = 0, judged = 0;
  for (const auto& [part, own] : errors) {
    fmt::print("{:<14}{:>8}{:>10.2f}{:>10.2f}{:>10} of {}\n", to_string(part), own.judged, quantile(own.points, 0.5),
               quantile(own.points, 1), own.covered, own.judged);
    all.insert(all.end(), own.points.begin(), own.points.end());
    covered += own.covered;
    judged += own.judged;
  }
  fmt::print("{:<14}{:>8}{:>10.2f}{:>10.2f}{:>10} of {} ({:.1f} %)\n", "all", judged, quantile(all, 0.5),
             quantile(all, 1), covered, judged, 100.0 * covered / judged);
  fmt::print("{} of {} cases met the precision; {} times a case was run again; {:.0f} s in all\n", by_precision, done,
             repeated, stash::seconds(stash::now_ns() - start_ns));
  return covered >= least_covered * judged ? 0 : 1;
}
