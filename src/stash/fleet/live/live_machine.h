#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// draining: it takes no more requests and ends when it has answered those it has.
enum class MachineState { starting, ready, draining };
std::string_view to_string(MachineState state);
constexpr std::array<MachineState, 3> every(MachineState) {
  return {MachineState::starting, MachineState::ready, MachineState::draining};
}

// A machine as a provider reports it.
struct LiveMachine {
  std::string id;  // never given twice
  int type = 0;    // of the market
  bool spot = false;
  MachineState state = MachineState::starting;
  std::optional<double> busy_s{};  // that its devices have worked so far, all together
};

// Error says what is not to be believed: types that the market does not have, one id twice, more machines than anybody
// rents.
void check_machines(const std::vector<LiveMachine>& machines, std::size_t types);

}  // namespace stash
