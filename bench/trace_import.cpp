// How fast a profiler trace is read, and in how much memory; beside other loaders where an interpreter has them.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/trace/trace_report.h"
#include "synthetic_trace.h"

namespace {

namespace fs = std::filesystem;

// A job must not wait for its analysis: docs/accuracy.md.
constexpr double kWanted_bytes_per_s = 1e9, kWanted_events_per_s = 5e6, kWantedMemory_ratio = 0.5;

double peak_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) * 1024;
}

double cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return s(used.ru_utime) + s(used.ru_stime);
}

void row(const char* name, double s, double bytes, double events) {
  fmt::print("{:<10}{:>10.3f}{:>12.3f}{:>14.2f}\n", name, s, bytes / s * 1e-9, events / s * 1e-6);
}

void report(const fs::path& path, int repeats) {
  std::vector<double> wall_s, used_s;
  stash::ImportedTrace trace;
  for (int i = 0; i < repeats; ++i) {
    const double before_s = cpu_s();
    const std::int64_t start_ns = stash::now_ns();
    trace = stash::import_trace(path);
    wall_s.push_back(stash::seconds(stash::now_ns() - start_ns));
    used_s.push_back(cpu_s() - before_s);
  }
  std::ranges::sort(wall_s);
  std::ranges::sort(used_s);
  const auto bytes = static_cast<double>(trace.read.bytes), events = static_cast<double>(trace.read.events);
  fmt::print("{}, {:.0f} events of {:.0f} bytes, {} steps, {} repeats\n", stash::format_bytes(bytes), events,
             bytes / events, trace.ranks.front().steps.size(), repeats);
  fmt::print("{:<10}{:>10}{:>12}{:>14}\n", "", "s", "GB/s", "million ev/s");
  row("wall, best", wall_s.front(), bytes, events);
  row("wall, med.", wall_s[wall_s.size() / 2], bytes, events);
  row("CPU, best", used_s.front(), bytes, events);
  row("CPU, med.", used_s[used_s.size() / 2], bytes, events);
  const double s = used_s.front(), memory_ratio = peak_bytes() / static_cast<double>(fs::file_size(path));
  const bool met = bytes / s >= kWanted_bytes_per_s && events / s >= kWanted_events_per_s;
  fmt::print("peak memory {}, {:.2f} of the file: {}\n", stash::format_bytes(peak_bytes()), memory_ratio,
             memory_ratio <= kWantedMemory_ratio ? "met" : "missed");
  fmt::print("1 GB/s and 5 million events a second of one core (CPU, best): {}\n", met ? "met" : "missed");
}

int run_others(const std::string& python, const fs::path& path) {
  const fs::path script = fs::path(__FILE__).parent_path() / "trace_loaders.py";
  std::fflush(stdout);
  return std::system(fmt::format("'{}' '{}' '{}'", python, script.string(), path.string()).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How fast a profiler trace is imported"};
  std::string size = "1GB", file, python;
  int repeats = 5;
  app.add_option("--size", size, "Of the trace that is made");
  app.add_option("--file", file, "A trace of your own instead");
  app.add_option("--repeats", repeats)->check(CLI::Range(1, 1000));
  app.add_option("--python", python,
                 "An interpreter whose json, and HolisticTraceAnalysis if it is there, read it too");
  CLI11_PARSE(app, argc, argv);
  const fs::path made = fs::temp_directory_path() / fmt::format("stash-trace-import-{}.json", getpid());
  int code = 0;
  try {
    if (file.empty()) write_synthetic_trace(made, static_cast<std::uint64_t>(stash::parse_bytes(size, "--size")));
    report(file.empty() ? made : fs::path(file), repeats);
    if (!python.empty()) code = run_others(python, file.empty() ? made : fs::path(file));
  } catch (const std::exception& error) {
    fmt::print(stderr, "trace_import: {}\n", error.what());
    code = 1;
  }
  fs::remove(made);
  return code == 0 ? 0 : 1;
}
