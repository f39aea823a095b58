#include "stash/launch/extension/extension_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/process/build_lock.h"
#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

constexpr double kCompileBytes = 2.5e9;  // a file that includes torch, optimised, with g++ 12
constexpr std::size_t kErrorLines = 6;
constexpr std::size_t kErrorLineBytes = 400;

// CPU seconds on a shared AMD EPYC (bench/first_run.py): a first guess of what is left, until files are done.
constexpr double kExtensionCpu_s = 65;
constexpr double kLibrariesCpu_s = 45;
constexpr double kSerial_s = 35;  // a batch and linking, however many cores there are
constexpr double kSetupDeadline_s = 1800;

// Names the step in which a build was left; the shell scripts do the same for the program.
constexpr const char* kUnfinished = "unfinished";

double memory_for_compilers_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld kB", &kib) == 1) return static_cast<double>(kib) * 1024;
  }
  return kCompileBytes;  // unknown: one at a time
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line.substr(0, kErrorLineBytes));
  }
  return lines;
}

bool says_error(const std::string& line) {
  constexpr std::array<std::string_view, 7> kSigns{
      "error:", "CMake Error", "undefined reference", "/ld: ", "cannot find -l", "Killed", "No space left"};
  if (line.starts_with("collect2:")) return false;  // the linker has said why
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return line.find(sign) != std::string::npos; });
}

std::string header_hint(const Interpreter& interpreter) {
  if (interpreter.system) return fmt::format("apt-get install python{}-dev", minor_version(interpreter));
  return "reinstall that Python with its headers, or name another interpreter with --python";
}

// What can be known before a compiler runs.
void check_tools(const Interpreter& interpreter) {
  if (!find_program("cmake")) throw Error("building the torch extension needs cmake: apt-get install cmake");
  if (!find_program("ninja")) throw Error("building the torch extension needs ninja: apt-get install ninja-build");
  if (!std::filesystem::exists(interpreter.include_folder / "Python.h")) {
    throw Error(fmt::format("building the torch extension needs Python.h, which {} {} does not have in {}: {}",
                            interpreter.python.string(), interpreter.version, interpreter.include_folder.string(),
                            header_hint(interpreter)));
  }
}

std::string left_at(const std::filesystem::path& folder) {
  std::string step;
  std::ifstream(folder / kUnfinished) >> step;
  return step;
}

// What is left, from Ninja's "[3/12]": first by the work that is known, from half of it on by how fast it goes.
class NinjaProgress {
 public:
  NinjaProgress(const ExtensionProgress& progress, std::string what, double expected_s)
      : progress_(progress), what_(std::move(what)), expected_s_(expected_s) {
    show(0, 0);
  }
  void operator()(std::string_view line) {
    int done = 0, total = 0;
    if (std::sscanf(std::string(line.substr(0, 32)).c_str(), "[%d/%d]", &done, &total) == 2 && total > 0) {
      show(done, total);
    }
  }

 private:
  void show(int done, int total) const {
    if (!progress_) return;
    const double elapsed_s = seconds(now_ns() - start_ns_);
    const double share = total > 0 ? static_cast<double>(done) / total : 0;
    const double trust = std::min(1.0, 2 * share);
    const double whole_s = share > 0 ? trust * elapsed_s / share + (1 - trust) * expected_s_ : expected_s_;
    const double left_s = std::max(1.0, share > 0 ? (1 - share) * whole_s : whole_s - elapsed_s);
    progress_(fmt::format("{}: {}about {} left", what_, total > 0 ? fmt::format("{} of {}, ", done, total) : "",
                          left_s < 60 ? fmt::format("{:.0f} s", left_s) : fmt::format("{:.1f} min", left_s / 60)),
              true);
  }

  ExtensionProgress progress_;
  std::string what_;
  double expected_s_;
  std::int64_t start_ns_ = now_ns();
};

struct Build {
  const Interpreter& interpreter;
  const BuildPlace& place;
  std::vector<int> inherited_fds;
  const ExtensionProgress& progress;

  const std::filesystem::path& folder() const { return place.folder; }
};

// The library of fmt and our own have the new ABI of the C++ library.
bool uses_tree(const Build& build) { return !build.place.tree.empty() && build.interpreter.new_string_abi; }

Command configure_command(const Build& build) {
  const std::string libraries = uses_tree(build) ? (build.place.tree / "lib").string() : "";
  return {.arguments = {"cmake", "-S", build.place.root.string(), "-B", build.folder().string(), "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release", "-DSTASH_PROGRAM=OFF", "-DSTASH_TESTS=OFF", "-DSTASH_BENCH=OFF",
                        "-DSTASH_EXTENSION=ON", "-DSTASH_LIBRARIES=" + libraries,
                        "-DSTASH_PYTHON=" + build.interpreter.python.string()}};
}

Command compile_command(const Build& build, const std::filesystem::path& tree, const std::string& target,
                        double cpu_s) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int jobs = compile_jobs(cores, memory_for_compilers_bytes());
  const std::string what = fmt::format("building the torch extension for torch {} and Python {}, only this once",
                                       build.interpreter.torch_version, minor_version(build.interpreter));
  return {.arguments = {"cmake", "--build", tree.string(), "--target", target, "-j", std::to_string(jobs)},
          .environment = {{"NINJA_STATUS", "[%f/%t] "}},
          .on_line = NinjaProgress(build.progress, what, std::max(kSerial_s, cpu_s / jobs))};
}

CommandResult run_step(const Build& build, const std::string& step, Command command) {
  std::ofstream(build.folder() / kUnfinished) << step;
  command.inherited_fds = build.inherited_fds;
  CommandResult result = run_command(command);
  std::ofstream(build.folder() / (step + ".log")) << result.output << result.errors;
  std::filesystem::remove(build.folder() / kUnfinished);  // it came to its end, good or bad
  return result;
}

// What CMake found wrong with the interpreter's torch, its last line; empty: nothing.
std::string torch_fault(const std::filesystem::path& folder) {
  std::string last;
  std::ifstream file(folder / "torch_fault.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

[[noreturn]] void throw_failed(const std::string& step, const CommandResult& result, const Build& build) {
  const std::string output = result.output + result.errors;
  if (const std::string fault = torch_fault(build.folder()); step == "configure" && !fault.empty()) throw Error(fault);
  const std::string log = (build.folder() / (step + ".log")).string();
  if (output.find("No space left on device") != std::string::npos) {
    throw Error(fmt::format("the disk of {} is full: free a gigabyte and try again (the whole output: {})",
                            build.folder().string(), log));
  }
  throw Error(fmt::format("the torch extension could not be built ({} ended with {}):\n{}the whole output: {}", step,
                          describe_end(result), first_errors(output), log));
}

void must_succeed(const Build& build, const std::string& step, const Command& command) {
  const CommandResult result = run_step(build, step, command);
  if (!result.succeeded()) throw_failed(step, result, build);
}

// What CMake remembers of a compiler or a library that is gone makes it fail; then it starts afresh, objects are kept.
void attempt(const Build& build) {
  std::filesystem::create_directories(build.folder());
  Command configure = configure_command(build);
  if (!run_step(build, "configure", configure).succeeded()) {
    configure.arguments.push_back("--fresh");
    must_succeed(build, "configure", configure);
  }
  if (uses_tree(build)) {
    must_succeed(build, "libraries", compile_command(build, build.place.tree, "rank_libraries", kExtensionCpu_s));
  }
  const double cpu_s = kExtensionCpu_s + (uses_tree(build) ? 0 : kLibrariesCpu_s);
  must_succeed(build, "compile", compile_command(build, build.folder(), "_stash", cpu_s));
}

bool can_write(const std::filesystem::path& folder) { return ::access(folder.c_str(), W_OK) == 0; }

}  // namespace

std::string compiler_version() {
  const char* chosen = std::getenv("CXX");
  for (const std::string_view name : {std::string_view(chosen ? chosen : ""), std::string_view("c++"),
                                      std::string_view("g++"), std::string_view("clang++")}) {
    const auto compiler = find_program(name);
    if (!compiler) continue;
    const CommandResult answer = run_command({.arguments = {compiler->string(), "--version"}, .deadline_s = 30});
    if (answer.succeeded()) return answer.output.substr(0, answer.output.find('\n'));
  }
  return "";
}

int compile_jobs(int cores, double available_bytes) {
  return std::clamp(static_cast<int>(available_bytes / kCompileBytes), 1, std::max(1, cores));
}

std::string first_errors(std::string_view output) {
  std::vector<std::string> lines = split_lines(output);
  std::vector<std::string> errors;
  std::ranges::copy_if(lines, std::back_inserter(errors), says_error);
  if (errors.empty() && lines.size() > kErrorLines) lines.erase(lines.begin(), lines.end() - kErrorLines);
  std::string text;
  const std::vector<std::string>& shown = errors.empty() ? lines : errors;
  for (std::size_t i = 0; i < std::min(shown.size(), kErrorLines); ++i) text += "  " + shown[i] + '\n';
  return text;
}

BuildPlace build_place(const std::filesystem::path& root, const std::filesystem::path& cache,
                       const std::string& torch_name) {
  const std::filesystem::path build = root / "build";
  if (!can_write(build)) return {.root = root, .folder = cache / "builds" / torch_name};
  const std::filesystem::path tree = build / "release";
  const bool built = std::filesystem::exists(tree / "build.ninja");
  return {.root = root, .folder = build / torch_name, .tree = built ? tree : "", .keep = true};
}

std::filesystem::path build_extension(const Interpreter& interpreter, const BuildPlace& place, int lock_fd,
                                      const ExtensionProgress& progress) {
  check_tools(interpreter);
  // In a checkout, ./stash and ./test hold the same lock while they build.
  std::optional<BuildLock> setup;
  if (place.keep) setup.emplace(place.root / "build/.lock", kSetupDeadline_s, [] {});
  Build build{interpreter, place, {lock_fd}, progress};
  if (setup) build.inherited_fds.push_back(setup->fd());
  if (!interpreter.new_string_abi && progress) {
    progress(fmt::format("torch {} uses the old ABI of the C++ library: Stash's own sources are compiled for it too",
                         interpreter.torch_version),
             false);
  }
  const std::string left = left_at(place.folder);
  if (left == "configure") std::filesystem::remove_all(place.folder);
  try {
    attempt(build);
  } catch (const Error&) {
    if (left.empty() || left == "configure") throw;
    std::filesystem::remove_all(place.folder);  // what was left by the interrupted build cannot be carried on
    attempt(build);
  }
  std::filesystem::path library = place.folder / "python" / "_stash.so";
  if (!std::filesystem::exists(library)) {
    throw Error(fmt::format("the build of the torch extension left no {}; remove {} and try again", library.string(),
                            place.folder.string()));
  }
  return library;
}

}  // namespace stash
