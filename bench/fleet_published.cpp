// What every policy costs on published traffic: MArk's setting (its capacities, prices of 2019), today's (ResNet-50 and
// BERT on the catalogue), and language-model requests with sizes. Tables as docs/fleet.md has them.
//
//     fleet_published --trace trace_per_minute.csv [--days 8-15] [--seeds 2] [--azure requests.csv] [--only NAME]
//         [--policy stash,oracle]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "stash/catalog/gpu.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/fleet/market/catalogue_market.h"
#include "stash/fleet/market/published_market.h"
#include "stash/fleet/policy/make_fleet_policy.h"
#include "stash/fleet/replay/replay_comparison.h"
#include "stash/fleet/traffic/read_load_trace.h"
#include "stash/fleet/traffic/scaled_trace.h"
#include "stash/report/fleet_replay_report.h"

namespace stash {
namespace {

// A language model of 7 billion parameters in fp16, as an assumption: a batch of answers takes as long as reading the
// weights for each token of the mean answer, and computing the tokens that go in and out; caches are read too.
constexpr double kParameters = 7e9;
constexpr double kMeanIn = 1434, kMeanOut = 154;  // tokens of the Azure trace
constexpr double kCacheBytesPerToken = 524'288;
constexpr double kReached = 0.6;  // of the peaks of memory and arithmetic
constexpr int kMostAnswers = 32;

BatchTimes answer_times(const Gpu& gpu) {
  std::vector<BatchTime> rows;
  for (const int batch : {1, 2, 4, 8, 16, kMostAnswers}) {
    const double bytes = 2 * kParameters + batch * kCacheBytesPerToken * (kMeanIn + kMeanOut / 2);
    const double token_s = bytes / (kReached * gpu.memory_bytes_per_s);
    const double compute_s = 2 * kParameters * batch * (kMeanIn + kMeanOut) / (kReached * gpu.ops_per_s(DType::fp16));
    rows.push_back({batch, kMeanOut * token_s + compute_s});
  }
  return BatchTimes(std::move(rows));
}

Market answer_market() {
  Market market{.model = "a language model of 7 billion parameters", .machines = {}, .functions = {}};
  struct Offer {
    const char* gpu;
    double usd_per_hour;
  };
  for (const Offer& offer : {Offer{"L4", 0.80}, Offer{"A10G", 1.10}, Offer{"A100-80GB", 2.50}, Offer{"H100", 3.95}}) {
    MachineType type{.name = offer.gpu,
                     .usd_per_hour = offer.usd_per_hour,
                     .start = usual_start(true, 2 * kParameters),
                     .least_billed_s = 1,
                     .times = answer_times(find_gpu(offer.gpu)),
                     .source = "prices of 2026-09, by the second; T(b) from memory and arithmetic, an assumption"};
    type.most_batch = kMostAnswers;
    market.machines.push_back(std::move(type));
  }
  return market;
}

struct Setting {
  std::string name;
  Market market;
  FleetObjective objective;
  double scale = 1;
  bool is_azure = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> found;
  const auto published = [&](std::string_view market, double objective_s) {
    found.push_back({std::string(market), published_market(market), {objective_s, 0.98}});
  };
  published("mark-inception", 0.5);
  published("mark-nasnet", 1.5);
  published("mark-nmt", 2);
  std::vector<std::string> warnings;
  const Catalogue catalogue = read_catalogue();
  for (const char* const model : {"resnet50", "bert_base"}) {
    found.push_back({.name = model,
                     .market = catalogue_market({.model = model, .dtype = DType::fp16, .on = {}, .spot = true},
                                                catalogue.instances, warnings),
                     .objective = {0.2, 0.98},
                     .scale = 20});
  }
  found.push_back({.name = "azure", .market = answer_market(), .objective = {15, 0.98}, .is_azure = true});
  return found;
}

double managed_peak_usd(const PolicyReplay& peak, const Market& market) {
  double usd = 0;
  for (std::size_t i = 0; i < market.machines.size(); ++i) {
    usd += peak.runs.front().types[i].usd * market.machines[i].managed_price_ratio;
  }
  return usd;
}

void print_row(const ReplayComparison& comparison, const PolicyReplay& policy, double stash_usd) {
  const SeedMean usd = policy.over_seeds([](const ReplayResult& run) { return run.totals.usd; });
  const double p99_s = policy.over_seeds([](const ReplayResult& run) { return run.totals.p99_s; }).mean;
  const double functions = policy.over_seeds([](const ReplayResult& run) { return run.totals.functions_usd; }).mean;
  std::string machines;
  for (const TypeUse& use : policy.runs.front().types) {
    if (use.machine_hours >= 0.05) {
      machines += fmt::format("{}{} {:.1f} h", machines.empty() ? "" : ", ", use.type, use.machine_hours);
      if (use.spot_hours > 0) machines += fmt::format(" (spot {:.1f} h)", use.spot_hours);
    }
  }
  fmt::print("| {} | {:.2f}{} | {:.2f} | {}{} | {} | {:.2f} | {} |\n", policy.name, usd.mean,
             usd.low ? fmt::format(" ± {:.2f}", *usd.high - usd.mean) : "", usd.mean / stash_usd,
             fleet_percent_text(policy.missed_ratio()), comparison.meets(policy) ? "" : ", too many",
             format_duration(p99_s), functions, machines);
}

// What is measured.
struct Question {
  std::string days;
  int seeds = 2;
  std::vector<std::string> policies;
};

ReplayComparison replayed(const Setting& setting, const LoadTrace& trace, const Question& question) {
  ReplayComparison comparison{.model = setting.market.model,
                              .market = setting.name,
                              .trace = "trace",
                              .objective = setting.objective,
                              .span = parse_trace_days(question.days, trace),
                              .types = {},
                              .sources = {},
                              .policies = {},
                              .warnings = {}};
  const LoadTrace future = only_span(trace, comparison.span);
  for (const std::string& name : question.policies) {
    PolicyReplay policy{.name = name, .runs = {}};
    for (int seed = 1; seed <= question.seeds; ++seed) {
      const auto made = make_fleet_policy(name, setting.market, {.objective = setting.objective, .future = &future});
      policy.price_ratio = made->price_ratio();
      policy.runs.push_back(replay_fleet(
          setting.market, trace, *made,
          {.objective = setting.objective, .seed = static_cast<std::uint64_t>(seed), .span = comparison.span}));
    }
    comparison.policies.push_back(std::move(policy));
  }
  return comparison;
}

void measure(const Setting& setting, const LoadTrace& trace, const Question& question) {
  const ReplayComparison comparison = replayed(setting, trace, question);
  const PolicyReplay& stash = comparison.policies.front();
  fmt::print("\n### {}: {}, 98 % within {}, {} requests, load x {:g}, {} seed(s)\n\n", setting.name,
             setting.market.model, format_duration(setting.objective.latency_s),
             format_count(static_cast<std::int64_t>(stash.runs.front().totals.requests)), setting.scale,
             question.seeds);
  fmt::print("| policy | $ | over stash | missed | p99 | functions $ | machines |\n|---|---|---|---|---|---|---|\n");
  for (const PolicyReplay& policy : comparison.policies) print_row(comparison, policy, stash.usd());
  std::fflush(stdout);
  if (question.policies.size() < kFleetPolicies.size()) return;
  fmt::print("| peak, managed | {0:.2f} | {1:.2f} | as peak | as peak | 0.00 | as peak, at the managed price |\n",
             managed_peak_usd(*comparison.find("peak"), setting.market),
             managed_peak_usd(*comparison.find("peak"), setting.market) / stash.usd());
  fmt::print(
      "\nstash over the oracle: {:.2f} (target 1.15 or less); best-single over stash: {:.2f} (target 1.3 or more); "
      "stash misses {} (2 % allowed)\n",
      stash.usd() / comparison.find("oracle")->usd(), comparison.find("best-single")->usd() / stash.usd(),
      fleet_percent_text(stash.missed_ratio()));
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CLI::App app("Costs of every policy on published traffic");
  std::string trace_file, azure_file, only;
  Question question{.days = "8-15", .policies = {kFleetPolicies.begin(), kFleetPolicies.end()}};
  app.add_option("--trace", trace_file, "Requests per minute");
  app.add_option("--azure", azure_file, "Requests with times and tokens");
  app.add_option("--days", question.days, "Days of the trace")->capture_default_str();
  app.add_option("--seeds", question.seeds, "Replays of each policy")->capture_default_str();
  app.add_option("--only", only, "One setting");
  app.add_option("--policy", question.policies, "Only these policies, the first of which others are compared with")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  for (const Setting& setting : settings()) {
    const std::string& file = setting.is_azure ? azure_file : trace_file;
    if (file.empty() || (!only.empty() && only != setting.name)) continue;
    const LoadTrace trace = scaled_trace(read_load_trace(std::filesystem::path(file)), setting.scale, 1);
    try {
      Question own = question;
      if (setting.is_azure) own.days.clear();
      measure(setting, trace, own);
    } catch (const Error& error) {
      fmt::print("\n{}: {}\n", setting.name, error.what());
    }
  }
  return 0;
}

}  // namespace
}  // namespace stash

int main(int argc, char** argv) {
  try {
    return stash::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
