#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "stash/cli/command_line.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/rest_is_needed.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/report/printable.h"

namespace {

// Messages quote names, files and output of others; their lines stay lines.
int complain(std::string_view message, int code) {
  std::string clean;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    clean += stash::printable(message.substr(0, end), true, 4000) + '\n';
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  fmt::print(stderr, "stash: {}", clean);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    try {
      return stash::run_command_line(stash::make_verbs(), argc, argv);
    } catch (const stash::RestIsNeeded&) {
      stash::become_whole_program(argv);
    }
  } catch (const stash::UsageError& error) {
    return complain(error.what(), stash::kExitUsage);
  } catch (const stash::Error& error) {
    return complain(error.what(), stash::kExitFault);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try a smaller --batch or fewer --ranks", stash::kExitFault);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(fmt::format("{}: {}; check that it can be written and that its disk has room",
                                error.path1().string(), error.code().message()),
                    stash::kExitFault);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal fault: {}", error.what()), stash::kExitFault);
  }
}
