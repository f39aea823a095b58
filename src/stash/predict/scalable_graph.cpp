#include <fmt/format.h>

#include "stash/core/error.h"
#include "stash/models/models.h"
#include "stash/predict/scaling.h"

namespace stash {
namespace {

constexpr int kTries = 64;  // networks that need more pixels than the least need few more

}  // namespace

Graph graph_for_scaling(std::string_view model, int image_size, int seq_len, std::vector<std::string>& assumptions) {
  try {
    return make_model(model, {.image_size = image_size, .seq_len = seq_len});
  } catch (const UsageError&) {
    if (image_size < 1) throw;
    for (int size = image_size + 1; size <= image_size + kTries; ++size) {
      try {
        Graph graph = make_model(model, {.image_size = size, .seq_len = seq_len});
        assumptions.push_back(fmt::format("{} cannot take images of {} pixels here; its work was taken at {} pixels",
                                          model, image_size, size));
        return graph;
      } catch (const UsageError&) {
      }
    }
    throw;
  }
}

}  // namespace stash
