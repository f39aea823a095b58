// How often `stash diff` cries wolf, and how often it finds a step that is slower: pairs of profiles with scripted
// noise and the default stopping rule. bench/diff_power [--pairs N] [--slower 3%].
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "../tests/attribute/pairs.h"
#include "stash/core/units.h"

namespace {

using namespace stash::testing_support;

struct Case {
  const char* name;
  Noise noise;
};

// Of a step of 145 ms. The last four are what windows of real profiles look like: two ranks on two cores that others
// used too, on an emulated GPU (all noise is in what communicates or reads, a few windows are hit) and on the CPU.
constexpr std::array kCases{
    Case{"normal, 0.5 % of the step", {.normal_s = 0.000725}},
    Case{"normal, 1 %", {.normal_s = 0.00145}},
    Case{"normal, 1.5 %", {.normal_s = 0.002175}},
    Case{"normal, 2 %", {.normal_s = 0.0029}},
    Case{"normal, 3 %", {.normal_s = 0.00435}},
    Case{"log-normal (skewness 1.75), 1.4 %", {.skewed_s = 0.002}},
    Case{"normal, 0.5 %; 2 % of windows hit", {.normal_s = 0.000725, .hit_probability = 0.02, .hit_s = 0.02}},
    Case{"normal, 0.5 %; grows 0.14 % a window", {.normal_s = 0.000725, .drift_s = 0.0002}},
    Case{"emulated GPU, quiet machine",
         {.normal_s = 0.0008, .hit_probability = 0.05, .hit_s = 0.0015, .calm_ratio = 0.05}},
    Case{"emulated GPU, others work too",
         {.normal_s = 0.0013, .wander_s = 0.0008, .hit_probability = 0.08, .hit_s = 0.006, .calm_ratio = 0.05}},
    Case{"CPU, others work too", {.skewed_s = 0.002, .wander_s = 0.0015, .hit_probability = 0.03, .hit_s = 0.006}},
    Case{"CPU, overloaded", {.skewed_s = 0.007, .wander_s = 0.006, .hit_probability = 0.05, .hit_s = 0.01}}};

struct Place {
  const char* name;
  std::size_t place;
};
constexpr std::array kPlaces{Place{"compute", 0}, Place{"interconnect", 2}, Place{"fetch", 4}};

// A share of the pairs with the half width of its 95 % interval (Agresti and Coull's, which holds near 0 and 1 too).
std::string share(int count, int pairs) {
  const double trials = pairs + 4.0;
  const double center = (count + 2.0) / trials;
  return fmt::format("{:.1f} ±{:.1f} %", 100.0 * count / pairs, 196 * std::sqrt(center * (1 - center) / trials));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("False alarms and misses of stash diff, simulated");
  int pairs = 2000;
  std::string slower = "3%";
  app.add_option("--pairs", pairs, "Of profiles, for each row")->capture_default_str();
  app.add_option("--slower", slower, "By which share of the step the one part grows")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const double slower_ratio = stash::parse_ratio(slower, "--slower");
  fmt::print("{:<38}{:<14}{:>8}{:>16}{:>16}{:>18}\n", "noise of a window", "slower in", "rounds", "step or part",
             "exit 1 over 3%", "wrong part real");
  for (const Case& one : kCases) {
    const auto row = [&](const char* name, std::size_t place, double ratio) {
      const PairCounts counts = simulate_pairs({.noise = one.noise}, place, ratio, pairs);
      fmt::print("{:<38}{:<14}{:>8.1f}{:>17}{:>17}{:>19}\n", one.name, name, counts.rounds / (2 * pairs),
                 share(counts.any_real, pairs), share(counts.failed, pairs), share(counts.unchanged_real, pairs));
      std::fflush(stdout);
    };
    row("nothing", 0, 0);
    for (const Place& place : kPlaces) row(place.name, place.place, slower_ratio);
  }
  return 0;
}
