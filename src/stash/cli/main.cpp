#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "stash/cli/command_line.h"
#include "stash/core/error.h"
#include "stash/report/printable.h"

namespace {

constexpr int kExitFault = 1;
constexpr int kExitUsage = 2;

// Messages quote names and files of others.
int complain(const char* message, int code) {
  fmt::print(stderr, "stash: {}\n", stash::printable(message, true, 4000));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return stash::run_command_line(stash::make_verbs(), argc, argv);
  } catch (const stash::UsageError& error) {
    return complain(error.what(), kExitUsage);
  } catch (const stash::Error& error) {
    return complain(error.what(), kExitFault);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; try a smaller --batch or fewer --ranks", kExitFault);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal fault: {}", error.what()).c_str(), kExitFault);
  }
}
