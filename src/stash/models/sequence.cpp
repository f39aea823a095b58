#include "stash/models/sequence.h"

#include <fmt/format.h>

#include "stash/core/error.h"

namespace stash {

int sequence_length(std::string_view model, const ModelOptions& options, int fallback, int longest) {
  if (options.seq_len == 0) return fallback;
  if (options.seq_len < 1 || options.seq_len > longest) {
    throw UsageError(
        fmt::format("{} cannot take --seq-len {}: it takes 1 to {} tokens", model, options.seq_len, longest));
  }
  return options.seq_len;
}

}  // namespace stash
