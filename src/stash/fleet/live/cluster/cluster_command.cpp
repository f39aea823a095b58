#include "stash/fleet/live/cluster/cluster_command.h"

#include <fmt/format.h>

#include <cctype>

#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/launch/process/subprocess.h"

namespace stash {
namespace {

constexpr double kCommand_s = 30;
constexpr std::size_t kMostPrinted = 16 << 20;
constexpr std::size_t kMostSaid = 300;  // of an error, in a message
constexpr std::size_t kLongestName = 50;
constexpr std::size_t kLongestLabel = 63;

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  const std::size_t before = text.rfind('\n');
  if (before != std::string::npos) text.erase(0, before + 1);
  return text.substr(0, kMostSaid);
}

}  // namespace

std::string run_cluster_command(const std::vector<std::string>& arguments) {
  const std::string& program = arguments.front();
  if (!find_program(program)) {
    throw Error(fmt::format("there is no `{0}` here: install it, or put it on the PATH", program));
  }
  const CommandResult result =
      run_command({.arguments = arguments, .deadline_s = kCommand_s, .limit_bytes = kMostPrinted});
  const std::string what = fmt::format("{} {}", program, arguments.size() > 1 ? arguments[1] : "");
  if (!result.succeeded()) {
    const std::string said = last_line(result.errors.empty() ? result.output : result.errors);
    throw Error(fmt::format("`{}` failed ({}){}{}", what, describe_end(result), said.empty() ? "" : ": ", said));
  }
  if (result.truncated) throw Error(fmt::format("`{}` printed more than is read", what));
  return result.output;
}

std::string cluster_name(const std::string& model, const std::string& machine, bool spot) {
  std::string name = "stash-" + lower_case(model) + "-" + lower_case(machine);
  for (char& one : name) {
    if (std::isalnum(static_cast<unsigned char>(one)) == 0) one = '-';
  }
  name = name.substr(0, kLongestName - 5);
  while (name.back() == '-') name.pop_back();
  return name + (spot ? "-spot" : "");
}

std::string label_value(const std::string& text) {
  std::string value = text.substr(0, kLongestLabel);
  for (char& one : value) {
    if (std::isalnum(static_cast<unsigned char>(one)) == 0 && one != '-' && one != '.') one = '_';
  }
  while (!value.empty() && std::isalnum(static_cast<unsigned char>(value.back())) == 0) value.pop_back();
  while (!value.empty() && std::isalnum(static_cast<unsigned char>(value.front())) == 0) value.erase(0, 1);
  return value;
}

}  // namespace stash
