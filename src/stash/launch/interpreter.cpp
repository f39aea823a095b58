#include "stash/launch/interpreter.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/launch/fingerprint.h"
#include "stash/launch/subprocess.h"

namespace stash {
namespace {

constexpr std::pair kOldestTorch{2, 5};
constexpr double kAnswerDeadline_s = 120;  // a first start from a cold network disk takes tens of seconds
constexpr std::size_t kMemoryLimit_bytes = 64 * 1024;

// torch's version stands in a file of its own; importing torch would take seconds.
constexpr const char* kQuestion = R"python(
import importlib.util, json, os, platform, re, sys, sysconfig
spec = importlib.util.find_spec("torch")
folder = os.path.dirname(spec.origin) if spec and spec.origin else ""
try:
    with open(os.path.join(folder, "version.py")) as file:
        version = re.search(r"__version__\s*=\s*['\"]([^'\"]+)", file.read()).group(1)
except (OSError, AttributeError):
    version = ""
print(json.dumps({
    "version": platform.python_version(),
    "abi": sysconfig.get_config_var("SOABI") or "",
    "include_folder": sysconfig.get_path("include"),
    "system": sys.base_prefix == "/usr",
    "torch_folder": folder if version else "",
    "torch_version": version,
}))
)python";

nlohmann::json to_json(const Interpreter& interpreter) {
  return {{"version", interpreter.version},
          {"abi", interpreter.abi},
          {"include_folder", interpreter.include_folder.string()},
          {"system", interpreter.system},
          {"torch_folder", interpreter.torch_folder.string()},
          {"torch_version", interpreter.torch_version}};
}

Interpreter from_json(const std::filesystem::path& python, const nlohmann::json& json) {
  return {.python = python,
          .version = json.at("version").get<std::string>(),
          .abi = json.at("abi").get<std::string>(),
          .include_folder = json.at("include_folder").get<std::string>(),
          .system = json.at("system").get<bool>(),
          .torch_folder = json.at("torch_folder").get<std::string>(),
          .torch_version = json.at("torch_version").get<std::string>()};
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
  const auto json = nlohmann::json::parse(answer.output, nullptr, false);
  if (!answer.succeeded() || !json.is_object()) {
    throw UsageError(fmt::format("{} is not a working Python 3 ({}): {}", python.string(), describe_end(answer),
                                 answer.errors.substr(0, 300)));
  }
  return from_json(python, json);
}

std::optional<Interpreter> recall(const std::filesystem::path& python, const std::filesystem::path& memory) {
  if (!std::filesystem::exists(memory)) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(read_file(memory, kMemoryLimit_bytes));
    const Interpreter remembered = from_json(python, json);
    if (json.at("identity") == identity(remembered)) return remembered;
  } catch (const std::exception&) {  // a damaged memory is only a reason to ask again
  }
  return std::nullopt;
}

void remember(const Interpreter& interpreter, const std::filesystem::path& memory) {
  nlohmann::json json = to_json(interpreter);
  json["identity"] = identity(interpreter);
  std::filesystem::create_directories(memory.parent_path());
  write_file_atomically(memory, json.dump());
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
    throw UsageError(
        fmt::format("{} has torch {}, but {}.{} or newer is needed; name another interpreter with --python", python,
                    interpreter.torch_version, kOldestTorch.first, kOldestTorch.second));
  }
}

}  // namespace

Interpreter find_interpreter(const std::filesystem::path& python, const std::filesystem::path& memory_folder) {
  const auto found = find_program(python.string());
  if (!found) {
    throw UsageError(fmt::format("--python {}: no such executable file; give the path of an interpreter that has torch",
                                 python.string()));
  }
  const std::filesystem::path absolute = std::filesystem::absolute(*found);
  const std::filesystem::path memory = memory_folder / (fingerprint(absolute.string()) + ".json");
  if (auto remembered = recall(absolute, memory)) return *remembered;
  const Interpreter interpreter = ask(absolute);
  check_torch(interpreter);
  remember(interpreter, memory);
  return interpreter;
}

}  // namespace stash
