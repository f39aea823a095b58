#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stash {

// A process, told from a later one that got the same number.
struct ProcessIdentity {
  int pid = 0;
  std::int64_t start_ticks = 0;  // since boot, when it was started

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity own_identity();
std::optional<ProcessIdentity> identity_of(int pid);  // nullopt: there is none, or it has ended
bool is_alive(const ProcessIdentity& process);
// To this process and to no other; nothing where it has ended.
void signal_process(const ProcessIdentity& process, int number);

// Starts a program in a session of its own, so that it outlives us and the terminal. It has no input; what it prints
// goes behind what is in `log`. Error when it cannot be started.
ProcessIdentity start_detached(std::vector<std::string> arguments, const std::filesystem::path& log);

// Takes the ends of those of our children that have ended; how many these were.
int reap(const std::vector<ProcessIdentity>& processes);

}  // namespace stash
