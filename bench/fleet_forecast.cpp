// How well the load is forecast: pinball loss by forecaster, quantile and minutes ahead, on the days after the first
// ones. Every forecaster sees all minutes before the one from which it forecasts, and no later one.
//
//     fleet_forecast --trace trace.csv [--from-day 7]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "stash/core/error.h"
#include "stash/fleet/forecast/load_forecaster.h"
#include "stash/fleet/forecast/watched_forecast.h"
#include "stash/fleet/traffic/load_minutes.h"
#include "stash/fleet/traffic/read_load_trace.h"

namespace stash {
namespace {

constexpr std::array kAheads_min{3, 10, 50};
constexpr std::array kQuantiles{0.5, 0.9, 0.95, 0.99};

struct Score {
  double loss = 0;
  double covered = 0;
  double count = 0;
};

double pinball(double quantile, double load, double probability) {
  const double over = load - quantile;
  return std::max(probability * over, (probability - 1) * over);
}

using Table = std::array<std::array<Score, kQuantiles.size()>, kAheads_min.size()>;

Table judge(LoadForecaster& forecaster, const std::vector<LoadMinute>& minutes, std::size_t from) {
  Table table{};
  for (std::size_t now = 0; now < minutes.size(); ++now) {
    forecaster.see(std::span(minutes).first(now + 1));
    if (now + 1 < from || minutes[now].hole) continue;
    for (std::size_t a = 0; a < kAheads_min.size(); ++a) {
      const std::size_t later = now + static_cast<std::size_t>(kAheads_min[a]);
      if (later >= minutes.size() || minutes[later].hole) continue;
      for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
        const double quantile = forecaster.quantile(kAheads_min[a], kQuantiles[q]);
        Score& score = table[a][q];
        score.loss += pinball(quantile, minutes[later].requests, kQuantiles[q]);
        score.covered += minutes[later].requests <= quantile;
        score.count += 1;
      }
    }
  }
  return table;
}

int run(int argc, char** argv) {
  CLI::App app("How well the load is forecast");
  std::string path;
  int from_day = 7;
  app.add_option("--trace", path, "CSV of requests per minute")->required();
  app.add_option("--from-day", from_day, "First day that counts; the days before it are only seen")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<LoadMinute> minutes = minutes_of(read_load_trace(std::filesystem::path(path)));
  fmt::print("forecaster,ahead_min,quantile,pinball_loss,below_last_value_ratio,covered_ratio,us_per_minute\n");
  Table base{};
  std::vector<std::string> names(kForecasters.rbegin(), kForecasters.rend());
  names.push_back("best, watched");
  for (const std::string& name : names) {
    auto forecaster = make_forecaster(name == "best, watched" ? "best" : name, 0);
    if (name == "best, watched") forecaster = std::make_unique<WatchedForecast>(std::move(forecaster));
    const auto begun = std::chrono::steady_clock::now();
    const Table table = judge(*forecaster, minutes, static_cast<std::size_t>(from_day) * 1440);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begun;
    if (name == "last-value") base = table;
    for (std::size_t a = 0; a < kAheads_min.size(); ++a) {
      for (std::size_t q = 0; q < kQuantiles.size(); ++q) {
        const Score& score = table[a][q];
        fmt::print("{},{},{},{:.1f},{:.3f},{:.3f},{:.0f}\n", name, kAheads_min[a], kQuantiles[q],
                   score.loss / score.count, 1 - score.loss / base[a][q].loss, score.covered / score.count,
                   took.count() / static_cast<double>(minutes.size()));
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace stash

int main(int argc, char** argv) {
  try {
    return stash::run(argc, argv);
  } catch (const stash::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
