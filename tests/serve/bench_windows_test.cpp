#include "stash/serve/bench/bench_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/serve/bench/bench_json.h"

namespace stash {
namespace {

constexpr std::int64_t kUs = 1000;

// A run whose requests take `base_us`, and in windows of a plain condition more; as the client and the server saw it.
struct ScriptedRun {
  BenchPlan plan;
  LoadRun run{};
  std::vector<ServedRequest> served{};
};

ScriptedRun scripted_run(const ServeSettings& base, int rounds) {
  ScriptedRun made{.plan = plan_bench(base, {.reload = true}, 0.1, rounds, 3)};
  made.run.start_ns = 5'000'000'000;
  const auto length_us = static_cast<std::int64_t>(made.plan.windows.size()) * 100'000;
  for (std::int64_t at_us = 0; at_us < length_us; at_us += 1000) {
    const BenchCondition& condition =
        made.plan.conditions[made.plan.windows[static_cast<std::size_t>(at_us / 100'000)]];
    const bool gathers = condition.settings.input != InputWay::direct;
    const bool stops = condition.reloads && condition.settings.reload == ReloadWay::stop;
    const std::int64_t notify_us = condition.settings.completion == CompletionWay::event ? 100 : 400;
    const std::int64_t wait_us = condition.settings.batching == BatchingWay::fixed ? 5000 : 1000;
    RequestTimes times{.batch_rows = 4};
    const std::int64_t begun_ns = made.run.start_ns + at_us * kUs;
    times.begun_ns = begun_ns + 50 * kUs;
    times.arrived_ns = begun_ns + 100 * kUs;
    times.dispatched_ns = times.arrived_ns + (wait_us + (stops ? 2000 : 0)) * kUs;
    times.device_busy_ns = 600 * kUs;
    times.reload_ns = stops ? 2000 * kUs : 0;
    times.was_gathered = gathers;
    times.started_ns = times.dispatched_ns + (gathers ? 700 : 0) * kUs;
    times.finished_ns = times.started_ns + 10'000 * kUs;
    times.noticed_ns = times.finished_ns + notify_us * kUs;
    times.answered_ns = times.noticed_ns + 30 * kUs;
    const auto number = static_cast<std::uint32_t>(made.served.size());
    made.served.push_back({.peer_port = 7, .number = number, .times = times});
    made.run.requests.push_back({.planned_ns = at_us * kUs,
                                 .sent_ns = (at_us + 20) * kUs,
                                 .done_ns = times.answered_ns + 70 * kUs - made.run.start_ns,
                                 .status = 200,
                                 .port = 7,
                                 .number = number});
  }
  return made;
}

const BenchPrimitive& primitive(const ServeBench& bench, std::string_view name, std::string_view against) {
  const auto found = std::ranges::find_if(
      bench.primitives, [&](const BenchPrimitive& one) { return one.name == name && one.against == against; });
  EXPECT_NE(found, bench.primitives.end()) << name << " " << against;
  return *found;
}

double part_us(const ServeBench& bench, RequestPart part) {
  const auto& found = bench.parts[static_cast<std::size_t>(part)];
  return found ? found->s * 1e6 : -1;
}

TEST(ServeBenchTest, EveryRoundHasEveryConditionOnceAndSwitchesShareTheFirst) {
  const BenchPlan plan = plan_bench({}, {.reload = true}, 0.1, 4, 1);
  EXPECT_EQ(plan.windows.size(), 4 * plan.conditions.size());
  for (std::size_t i = 0; i < plan.conditions.size(); ++i) EXPECT_EQ(std::ranges::count(plan.windows, i), 4);
  EXPECT_EQ(plan.conditions.front().settings, ServeSettings{});
  EXPECT_EQ(std::ranges::count(plan.contrasts, std::size_t{0}, &BenchContrast::better), 6);  // all but reload
}

TEST(ServeBenchTest, PartsAreOfTheFirstConditionAndAddUpToTheLatency) {
  const ScriptedRun made = scripted_run({}, 5);
  const ServeBench bench = summarize_bench(made.plan, made.run, made.served);
  EXPECT_NEAR(part_us(bench, RequestPart::receive), 100, 1e-6);
  EXPECT_NEAR(part_us(bench, RequestPart::queue), 600, 1e-6);
  EXPECT_NEAR(part_us(bench, RequestPart::batch_wait), 400, 1e-6);
  EXPECT_NEAR(part_us(bench, RequestPart::compute), 10'000, 1e-6);
  EXPECT_NEAR(part_us(bench, RequestPart::notify), 100, 1e-6);
  EXPECT_NEAR(part_us(bench, RequestPart::respond), 100, 1e-6);
  for (const RequestPart part : {RequestPart::gather, RequestPart::reload, RequestPart::copy_in, RequestPart::launch}) {
    EXPECT_FALSE(bench.parts[static_cast<std::size_t>(part)]);
  }
  double sum = 0;
  for (const auto& part : bench.parts) sum += part ? part->s : 0;
  EXPECT_NEAR(sum, bench.mean_s, 1e-12);
  EXPECT_NEAR(*bench.mean_batch, 4, 1e-9);
  EXPECT_NEAR(bench.throughput_per_s, 1000, 20);
}

TEST(ServeBenchTest, ASwitchSavesWhatItsWindowsDiffer) {
  const ScriptedRun made = scripted_run({}, 5);
  const ServeBench bench = summarize_bench(made.plan, made.run, made.served);
  EXPECT_NEAR(*primitive(bench, "input", "gather").saves_s, 700e-6, 1e-9);
  EXPECT_NEAR(*primitive(bench, "completion", "blocking").saves_s, 300e-6, 1e-9);
  EXPECT_NEAR(*primitive(bench, "batching", "fixed").saves_s, 4e-3, 1e-9);
  EXPECT_NEAR(*primitive(bench, "reload", "stop").saves_s, 2e-3, 1e-9);
  const BenchPrimitive& all = primitive(bench, "all", "gather, blocking, fixed");
  EXPECT_NEAR(*all.saves_s, 5e-3, 1e-9);
  EXPECT_LE(*all.low_s, *all.saves_s);
}

TEST(ServeBenchTest, RequestsThatTheServerDoesNotKnowAreNotCounted) {
  ScriptedRun made = scripted_run({}, 5);
  std::erase_if(made.served, [](const ServedRequest& one) { return one.number % 2 == 0; });
  const ServeBench half = summarize_bench(made.plan, made.run, made.served);
  EXPECT_NEAR(part_us(half, RequestPart::queue), 600, 1e-6);
  EXPECT_NEAR(half.throughput_per_s, 500, 20);
}

TEST(ServeBenchTest, AFileComesBackAsItWas) {
  const ScriptedRun made = scripted_run({.objective_s = 0.05}, 5);
  ServeBench bench = summarize_bench(made.plan, made.run, made.served);
  bench.model = "m\x01";
  bench.batches = {{1, 0.01}, {2, 0.02}};
  bench.primitives.push_back({.name = "launch", .setting = "graphs", .against = "eager"});
  const std::string text = bench_json(bench).dump();
  EXPECT_EQ(bench_json(bench_from_json_text(text)).dump(), text);
  EXPECT_TRUE(nlohmann::json::parse(text)["parts"]["gather"].is_null());
}

TEST(ServeBenchTest, ADamagedFileIsSaid) {
  const std::string text = bench_json(ServeBench{}).dump();
  for (const char* key : {"latency", "parts", "primitives", "batches", "rate_per_s", "schema_version"}) {
    nlohmann::json json = nlohmann::json::parse(text);
    json.erase(key);
    EXPECT_THROW(bench_from_json_text(json.dump()), Error) << key;
    json[key] = "x";
    EXPECT_THROW(bench_from_json_text(json.dump()), Error) << key;
  }
}

}  // namespace
}  // namespace stash
