#include "stash/launch/peer_errors.h"

#include <algorithm>
#include <array>

namespace stash {

bool is_of_a_lost_peer(std::string_view message) {
  // Without first letters: some versions begin a sentence with these words.
  constexpr std::array<std::string_view, 8> kSigns{
      "onnection closed by peer",      "onnection reset", "roken pipe", "imed out", "ocket closed", "ead error",
      "NCCL communicator was aborted", "remote process"};
  return std::ranges::any_of(kSigns,
                             [&](std::string_view sign) { return message.find(sign) != std::string_view::npos; });
}

}  // namespace stash
