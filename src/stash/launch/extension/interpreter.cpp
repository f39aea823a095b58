#include "stash/launch/extension/interpreter.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/launch/extension/fingerprint.h"
#include "stash/launch/extension/oldest_torch.h"
#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

constexpr double kAnswerDeadline_s = 120;        // a first start from a cold network disk takes tens of seconds
constexpr std::size_t kAnswerShown_bytes = 300;  // of what a program said that is no interpreter

// torch's version stands in a file of its own, and the names in its smallest library tell its ABI; importing torch
// would take seconds.
constexpr const char* kQuestion = R"python(
import importlib.util, os, platform, re, sys, sysconfig
spec = importlib.util.find_spec("torch")
folder = os.path.dirname(spec.origin) if spec and spec.origin else ""
def read(name):
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except OSError:
        return b""
text = read("version.py").decode(errors="replace") if folder else ""
def value(name):
    found = re.search(name + r"[^=\n]*=\s*['\"]([^'\"]+)", text)
    return found.group(1) if found else ""
version = value("__version__")
names = read("lib/libc10.so") if version else b""
abi = "old" if names and b"St7__cxx1112basic_string" not in names else "new"
print(platform.python_version(), sysconfig.get_config_var("SOABI") or "", sysconfig.get_path("include"),
      "system" if sys.base_prefix == "/usr" else "other", folder if version else "", version,
      " ".join(value(name) for name in ("git_version", "cuda", "hip")), abi, sep="\n")
)python";

// The answer's lines, in their order.
std::string to_lines(const Interpreter& interpreter) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", interpreter.version, interpreter.abi,
                     interpreter.include_folder.string(), interpreter.system ? "system" : "other",
                     interpreter.torch_folder.string(), interpreter.torch_version, interpreter.torch_build,
                     interpreter.new_string_abi ? "new" : "old");
}

std::optional<Interpreter> from_lines(const std::filesystem::path& python, std::istream& lines) {
  Interpreter found;
  found.python = python;
  std::string include_folder, system, torch_folder, string_abi;
  for (std::string* field : {&found.version, &found.abi, &include_folder, &system, &torch_folder, &found.torch_version,
                             &found.torch_build, &string_abi}) {
    if (!std::getline(lines, *field)) return std::nullopt;
  }
  if (!found.version.starts_with('3') || (system != "system" && system != "other")) return std::nullopt;
  if (string_abi != "new" && string_abi != "old") return std::nullopt;
  found.include_folder = include_folder;
  found.system = system == "system";
  found.torch_folder = torch_folder;
  found.new_string_abi = string_abi == "new";
  return found;
}

// Changes when the interpreter or its torch is replaced; a torch that appeared earlier on the path needs PYTHONPATH.
std::string identity(const Interpreter& interpreter) {
  const char* path = std::getenv("PYTHONPATH");
  return fingerprint(fmt::format("{}|{}|{}|{}", interpreter.python.string(), file_identity(interpreter.python),
                                 file_identity(interpreter.torch_folder / "version.py"), path ? path : ""));
}

Interpreter ask(const std::filesystem::path& python) {
  const CommandResult answer =
      run_command({.arguments = {python.string(), "-c", kQuestion}, .deadline_s = kAnswerDeadline_s});
  std::istringstream lines(answer.output);
  const auto found = answer.succeeded() ? from_lines(python, lines) : std::nullopt;
  if (!found) {
    throw UsageError(fmt::format("{} is not a working Python 3 ({}): {}", python.string(), describe_end(answer),
                                 answer.errors.substr(0, kAnswerShown_bytes)));
  }
  return *found;
}

// The memory is the answer under the identity that it held for; one that is damaged is only a reason to ask again.
std::optional<Interpreter> recall(const std::filesystem::path& python, const std::filesystem::path& memory) {
  std::ifstream lines(memory);
  std::string held_for;
  std::getline(lines, held_for);
  const auto remembered = from_lines(python, lines);
  return remembered && held_for == identity(*remembered) ? remembered : std::nullopt;
}

// A folder that cannot be written is only a reason to ask again.
void remember(const Interpreter& interpreter, const std::filesystem::path& memory) {
  std::error_code error;
  std::filesystem::create_directories(memory.parent_path(), error);
  if (error) return;
  try {
    write_file_atomically(memory, identity(interpreter) + "\n" + to_lines(interpreter));
  } catch (const Error&) {
    return;
  }
}

bool is_recent(const std::string& version) {
  std::pair<int, int> found{0, 0};
  const char* end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, found.first);
  if (major.ptr != end && *major.ptr == '.') std::from_chars(major.ptr + 1, end, found.second);
  return found >= kOldestTorch;
}

void check_torch(const Interpreter& interpreter) {
  const std::string python = interpreter.python.string();
  if (interpreter.torch_version.empty()) {
    throw UsageError(
        fmt::format("{} has no torch; install it there ({} -m pip install torch) or name another "
                    "interpreter with --python",
                    python, python));
  }
  if (!is_recent(interpreter.torch_version)) {
    throw UsageError(fmt::format("{} has torch {}, but {} or newer is needed; name another interpreter with --python",
                                 python, interpreter.torch_version, oldest_torch()));
  }
}

}  // namespace

std::string minor_version(const Interpreter& interpreter) {
  return interpreter.version.substr(0, interpreter.version.rfind('.'));
}

Interpreter find_interpreter(const std::filesystem::path& python, const std::filesystem::path& memory_folder) {
  const auto found = find_program(python.string());
  if (!found) {
    throw UsageError(fmt::format("--python {}: no such executable file; give the path of an interpreter that has torch",
                                 python.string()));
  }
  const std::filesystem::path absolute = std::filesystem::absolute(*found);
  const std::filesystem::path memory = memory_folder / (fingerprint(absolute.string()) + ".json");
  const bool remembers = !memory_folder.empty();
  if (auto remembered = remembers ? recall(absolute, memory) : std::nullopt) return *remembered;
  const Interpreter interpreter = ask(absolute);
  check_torch(interpreter);
  if (remembers) remember(interpreter, memory);
  return interpreter;
}

}  // namespace stash
