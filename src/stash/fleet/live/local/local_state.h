#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stash/fleet/live/live_machine.h"
#include "stash/fleet/live/local/process_identity.h"

namespace stash {

// A server of a machine; its process and port are known when it has said them.
struct LocalServer {
  ProcessIdentity process;
  int port = 0;
};

// A machine that is one or more processes here, one for each device.
struct LocalMachine {
  std::string id;
  int type = 0;
  bool spot = false;
  MachineState state = MachineState::starting;
  std::int64_t ordered_ns = 0;
  std::int64_t ready_ns = 0;    // not before
  std::int64_t changed_ns = 0;  // since when it has been in this state
  std::vector<LocalServer> servers;
};

// All that the local provider has started, on the clock of now_ns().
struct LocalState {
  std::string boot;
  int port = 0;
  std::int64_t next = 1;
  ProcessIdentity proxy;
  std::vector<LocalMachine> machines;
};

std::optional<LocalState> read_local_state(const std::filesystem::path& file);  // Error where it is damaged
std::string local_state_text(const LocalState& state);

// What a server writes when it listens: who it is and where. nullopt: it has not yet.
std::optional<LocalServer> read_announcement(const std::filesystem::path& file);
void write_announcement(const std::filesystem::path& file, const LocalServer& server);

}  // namespace stash
