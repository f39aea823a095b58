#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>

#include "stash/advise/advise.h"
#include "stash/input/random.h"
#include "stash/report/advice.h"

// How long it takes to rank predictions, and to write the answer. The machines are made up.

namespace stash {
namespace {

constexpr int kMostNodes = 16;
constexpr int kGpuKinds = 12;

Predictions make_market(int instances) {
  Random random(1);
  Predictions market;
  for (int i = 0; i < instances; ++i) {
    const double step_s = random.uniform(0.05, 2), usd_per_h = random.uniform(0.5, 40);
    for (int nodes = 1; nodes <= kMostNodes; ++nodes) {
      Prediction prediction;
      prediction.cloud = "made-up";
      prediction.instance = fmt::format("machine-{}", i);
      prediction.gpu = fmt::format("gpu-{}", i % kGpuKinds);
      prediction.nodes = nodes;
      prediction.gpus = 8 * nodes;
      prediction.batch = 64;
      const double s = step_s * (1 + 0.1 * nodes);
      prediction.ledger.step = {s, s * 0.8, s * 1.2};
      prediction.ledger[Part::compute] = Estimate{s / 2, s * 0.4, s * 0.6};
      prediction.ledger[Part::network] = Estimate{s / 2, s * 0.4, s * 0.6};
      prediction.usd_per_h = usd_per_h * nodes;
      market.predictions.push_back(std::move(prediction));
    }
  }
  return market;
}

double best_ms(int repeats, const std::function<void()>& work) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best * 1e3;
}

void run(int instances, int repeats) {
  const Predictions market = make_market(instances);
  AdviceQuestion question;
  question.epochs = 90;
  question.samples = 1281167;
  question.deadline_s = 24 * 3600;
  const Advice advice = advise(question, market);
  const double copy = best_ms(repeats, [&] { Predictions copied = market; });
  fmt::print("{} predictions, best of {}\n", market.predictions.size(), repeats);
  fmt::print("  {:<22}{:>8.2f} ms\n", "rank", best_ms(repeats, [&] { advise(question, market); }) - copy);
  fmt::print("  {:<22}{:>8.2f} ms\n", "write text",
             best_ms(repeats, [&] { render_advice_text(question, advice, {}); }));
  fmt::print("  {:<22}{:>8.2f} ms\n", "write JSON", best_ms(repeats, [&] { render_advice_json(question, advice); }));
  fmt::print("  {:<22}{:>8.2f} ms\n", "write CSV", best_ms(repeats, [&] { render_advice_csv(advice); }));
}

}  // namespace
}  // namespace stash

int main(int argc, char** argv) {
  CLI::App app("How long advice takes");
  int instances = 100, repeats = 20;
  app.add_option("--instances", instances, "Kinds of machines, each with 1 to 16 nodes")->check(CLI::Range(1, 100000));
  app.add_option("--repeats", repeats, "Of each, of which the fastest counts")->check(CLI::Range(1, 100000));
  CLI11_PARSE(app, argc, argv);
  stash::run(instances, repeats);
}
