#include "stash/models/sequence.h"

#include <fmt/format.h>

#include "stash/core/error.h"

namespace stash {

int sequence_length(std::string_view model, const InputSize& input, int fallback, int longest) {
  if (input.seq_len == 0) return fallback;
  if (input.seq_len < 1 || input.seq_len > longest) {
    throw UsageError(
        fmt::format("{} cannot take --seq-len {}: it takes 1 to {} tokens", model, input.seq_len, longest));
  }
  return input.seq_len;
}

}  // namespace stash
