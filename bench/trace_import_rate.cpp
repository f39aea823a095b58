// How fast profiler traces are read, and in how much memory; beside other loaders where an interpreter has them.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/statistics.h"
#include "stash/core/units.h"
#include "stash/import/trace_ledger.h"
#include "synthetic_trace.h"

namespace {

namespace fs = std::filesystem;

// A job must not wait for its analysis: docs/accuracy.md.
constexpr double kWanted_bytes_per_s = 1e9, kWanted_events_per_s = 5e6, kWantedMemory_ratio = 0.5;

struct TraceCase {
  std::string name;
  fs::path path;
  double bytes = 0, events = 0;                 // uncompressed
  std::vector<double> cpu_s = {}, wall_s = {};  // of each repeat
  double peak_bytes = 0;
};

double cpu_s(const rusage& used) {
  const auto s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return s(used.ru_utime) + s(used.ru_stime);
}

// In a process of its own, for its memory and its CPU time.
void import_once(TraceCase& trace) {
  const std::int64_t start_ns = stash::now_ns();
  const pid_t child = fork();
  if (child < 0) throw stash::Error("cannot fork");
  if (child == 0) {
    try {
      stash::import_trace(trace.path);
      _exit(0);
    } catch (...) {
      _exit(1);
    }
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || status != 0) {
    throw stash::Error(fmt::format("importing {} failed", trace.path.string()));
  }
  trace.wall_s.push_back(stash::seconds(stash::now_ns() - start_ns));
  trace.cpu_s.push_back(cpu_s(used));
  trace.peak_bytes = std::max(trace.peak_bytes, static_cast<double>(used.ru_maxrss) * 1024);
}

// Median, and what holds it with 95 %: the order statistics 0.98 * sqrt(n) from the middle.
std::string rate(std::vector<double> times_s, double amount) {
  std::ranges::sort(times_s);
  const auto count = static_cast<double>(times_s.size());
  const double away = 0.98 * std::sqrt(count);
  const auto at = [&](double place) { return times_s[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))]; };
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", amount / stash::median(times_s), amount / at(count / 2 + away),
                     amount / at(count / 2 - away));
}

void print_row(const TraceCase& trace) {
  const double s = stash::median(trace.cpu_s), file_bytes = static_cast<double>(fs::file_size(trace.path));
  const double memory_ratio = trace.peak_bytes / file_bytes;
  const auto met = [](bool is) { return is ? "met" : "missed"; };
  fmt::print("{:<10}{:>8.0f}{:>22}{:>22}{:>22}{:>9}{:>7.3f}   {:<8}{:<8}{}\n", trace.name, trace.bytes / trace.events,
             rate(trace.cpu_s, trace.bytes * 1e-9), rate(trace.cpu_s, trace.events * 1e-6),
             rate(trace.wall_s, trace.bytes * 1e-9), stash::format_bytes(trace.peak_bytes), memory_ratio,
             met(trace.bytes / s >= kWanted_bytes_per_s), met(trace.events / s >= kWanted_events_per_s),
             met(memory_ratio <= kWantedMemory_ratio));
}

void measure(std::vector<TraceCase>& cases, int repeats) {
  for (TraceCase& trace : cases) {
    const stash::ImportedTrace once = stash::import_trace(trace.path);
    trace.bytes = static_cast<double>(once.read.bytes);
    trace.events = static_cast<double>(once.read.events);
  }
  for (int i = 0; i < repeats; ++i) {
    for (TraceCase& trace : cases) import_once(trace);
  }
  fmt::print(
      "medians of {} interleaved repeats, 95 % interval; goals: {:.0f} GB/s, {:.0f} million events/s, {:.1f} of the "
      "file\n",
      repeats, kWanted_bytes_per_s * 1e-9, kWanted_events_per_s * 1e-6, kWantedMemory_ratio);
  fmt::print("{:<10}{:>8}{:>22}{:>22}{:>22}{:>9}{:>7}   {:<8}{:<8}{}\n", "trace", "B/event", "CPU GB/s",
             "CPU million ev/s", "wall GB/s", "peak", "ratio", "GB/s", "ev/s", "memory");
  for (const TraceCase& trace : cases) print_row(trace);
}

void compress(const fs::path& from, const fs::path& to) {
  std::ifstream in(from, std::ios::binary);
  const gzFile out = gzopen(to.c_str(), "wb6");
  std::string block(1 << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    gzwrite(out, block.data(), static_cast<unsigned>(in.gcount()));
  }
  gzclose(out);
}

std::vector<TraceCase> make_cases(const fs::path& folder, std::uint64_t bytes) {
  std::vector<TraceCase> cases{
      {"lean", folder / "lean.json"}, {"standard", folder / "standard.json"}, {"detailed", folder / "detailed.json"}};
  constexpr std::array kMixes{TraceMix::lean, TraceMix::standard, TraceMix::detailed};
  for (std::size_t i = 0; i < cases.size(); ++i) write_synthetic_trace(cases[i].path, bytes, kMixes[i]);
  compress(cases[1].path, folder / "standard.json.gz");
  cases.push_back({"gzip", folder / "standard.json.gz"});
  return cases;
}

int run_others(const std::string& python, const fs::path& path) {
  const fs::path script = fs::path(__FILE__).parent_path() / "trace_loaders.py";
  std::fflush(stdout);
  return std::system(fmt::format("'{}' '{}' '{}'", python, script.string(), path.string()).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How fast profiler traces are imported"};
  std::string size = "300MB", file, python;
  int repeats = 15;
  app.add_option("--size", size, "Of each trace that is made");
  app.add_option("--file", file, "A trace of your own instead");
  app.add_option("--repeats", repeats)->check(CLI::Range(1, 1000));
  app.add_option("--python", python,
                 "An interpreter whose json, and HolisticTraceAnalysis if it is there, read it too");
  CLI11_PARSE(app, argc, argv);
  const fs::path folder = fs::temp_directory_path() / fmt::format("stash-trace-import-{}", getpid());
  int code = 0;
  try {
    fs::create_directory(folder);
    std::vector<TraceCase> cases;
    if (file.empty()) cases = make_cases(folder, static_cast<std::uint64_t>(stash::parse_bytes(size, "--size")));
    if (!file.empty()) cases.push_back({"file", file});
    measure(cases, repeats);
    if (!python.empty()) code = run_others(python, file.empty() ? cases[1].path : fs::path(file));
  } catch (const std::exception& error) {
    fmt::print(stderr, "trace_import: {}\n", error.what());
    code = 1;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return code == 0 ? 0 : 1;
}
