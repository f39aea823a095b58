#include "stash/launch/extension_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/launch/subprocess.h"

namespace stash {
namespace {

constexpr double kCompileBytes = 2.5e9;  // a file that includes torch, optimised, with g++ 12
constexpr std::size_t kErrorLines = 6;
constexpr std::size_t kErrorLineBytes = 400;
constexpr double kProgressEvery_s = 10;

// Names the step in which a build was left; the shell scripts do the same for the program.
constexpr const char* kUnfinished = "unfinished";

double available_memory_bytes() {
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
  constexpr std::array<std::string_view, 6> kSigns{"error:",         "CMake Error", "undefined reference",
                                                   "cannot find -l", "Killed",      "No space left"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return line.find(sign) != std::string::npos; });
}

std::string header_hint(const Interpreter& interpreter) {
  const std::string minor = interpreter.version.substr(0, interpreter.version.rfind('.'));
  if (interpreter.system) return fmt::format("apt-get install python{}-dev", minor);
  return "reinstall that Python with its headers, or name another interpreter with --python";
}

// What can be known before a compiler runs.
void check_tools(const Interpreter& interpreter) {
  if (!find_program("cmake")) throw Error("building the torch extension needs cmake: apt-get install cmake");
  if (!find_program("ninja")) throw Error("building the torch extension needs ninja: apt-get install ninja-build");
  if (compiler_version().empty()) {
    throw Error(
        "building the torch extension needs a C++20 compiler, but neither $CXX nor c++ runs: apt-get install g++");
  }
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

// Passes on "[3/12]" from Ninja's lines, now and then.
class NinjaProgress {
 public:
  explicit NinjaProgress(const ExtensionProgress& progress) : progress_(progress) {}
  void operator()(std::string_view line) {
    const std::size_t end = line.find(']');
    const std::int64_t now = now_ns();
    if (!progress_ || !line.starts_with('[') || end == std::string_view::npos) return;
    if (seconds(now - told_ns_) < kProgressEvery_s) return;
    told_ns_ = now;
    progress_(fmt::format("torch extension: {} after {:.0f} s", line.substr(0, end + 1), seconds(now - start_ns_)));
  }

 private:
  const ExtensionProgress& progress_;
  std::int64_t start_ns_ = now_ns();
  std::int64_t told_ns_ = start_ns_;
};

struct Build {
  const Interpreter& interpreter;
  const std::filesystem::path& root;
  const std::filesystem::path& folder;
  int lock_fd;
  const ExtensionProgress& progress;
};

// The trees of the program, the tests and the extension have most objects in common; ccache, where it is, compiles
// once.
std::string compiler_launcher() { return find_program("ccache").value_or("").string(); }

Command configure_command(const Build& build) {
  return {.arguments = {"cmake", "-S", build.root.string(), "-B", build.folder.string(), "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER_LAUNCHER=" + compiler_launcher(),
                        "-DSTASH_PROGRAM=OFF", "-DSTASH_TESTS=OFF", "-DSTASH_BENCH=OFF", "-DSTASH_EXTENSION=ON",
                        "-DSTASH_PYTHON=" + build.interpreter.python.string()}};
}

Command compile_command(const Build& build) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int jobs = compile_jobs(cores, available_memory_bytes());
  return {.arguments = {"cmake", "--build", build.folder.string(), "--target", "_stash", "-j", std::to_string(jobs)},
          .environment = {{"NINJA_STATUS", "[%f/%t] "}},
          .on_line = NinjaProgress(build.progress)};
}

CommandResult run_step(const Build& build, const std::string& step, Command command) {
  std::ofstream(build.folder / kUnfinished) << step;
  command.inherited_fds = {build.lock_fd};
  CommandResult result = run_command(command);
  std::ofstream(build.folder / (step + ".log")) << result.output << result.errors;
  std::filesystem::remove(build.folder / kUnfinished);  // it came to its end, good or bad
  return result;
}

[[noreturn]] void throw_failed(const std::string& step, const CommandResult& result,
                               const std::filesystem::path& folder) {
  throw Error(fmt::format("the torch extension could not be built ({} ended with {}):\n{}the whole output: {}", step,
                          describe_end(result), first_errors(result.output + result.errors),
                          (folder / (step + ".log")).string()));
}

// What CMake remembers of a compiler or a library that is gone makes it fail; then it starts afresh, objects are kept.
void attempt(const Build& build) {
  std::filesystem::create_directories(build.folder);
  Command configure = configure_command(build);
  CommandResult result = run_step(build, "configure", configure);
  if (!result.succeeded()) {
    configure.arguments.push_back("--fresh");
    result = run_step(build, "configure", configure);
  }
  if (!result.succeeded()) throw_failed("configure", result, build.folder);
  result = run_step(build, "compile", compile_command(build));
  if (!result.succeeded()) throw_failed("compile", result, build.folder);
}

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

void build_extension(const Interpreter& interpreter, const std::filesystem::path& root,
                     const std::filesystem::path& folder, int lock_fd, const ExtensionProgress& progress) {
  check_tools(interpreter);
  const std::string left = left_at(folder);
  if (left == "configure") std::filesystem::remove_all(folder);
  const Build build{interpreter, root, folder, lock_fd, progress};
  try {
    attempt(build);
  } catch (const Error&) {
    if (left != "compile") throw;
    std::filesystem::remove_all(folder);  // what was left by the interrupted build cannot be carried on
    attempt(build);
  }
}

}  // namespace stash
