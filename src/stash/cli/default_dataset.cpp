#include "stash/cli/default_dataset.h"

#include <algorithm>

#include "stash/cli/cache_folder.h"
#include "stash/cli/progress.h"
#include "stash/input/make_dataset.h"
#include "stash/input/usual_dataset.h"
#include "stash/launch/build_lock.h"

namespace stash {
namespace {

constexpr double kMakeDeadline_s = 600;

namespace fs = std::filesystem;

constexpr std::int64_t kFewestImages = 256;  // 28 MB: seconds to make, and enough for a few different batches
constexpr std::int64_t kFewestTokens = 4'000'000;
constexpr std::uint64_t kSeed = 1;

// The next power of two, so that few different data sets are ever made.
std::int64_t rounded_up(std::int64_t count, std::int64_t least) {
  while (least < count) least *= 2;
  return least;
}

}  // namespace

// Ranks that a launcher starts at once want the same one: the first makes it.
fs::path default_dataset(const Graph& graph, std::int64_t samples) {
  const fs::path folder = ready_cache_folder();
  const BuildLock lock(folder / "data.lock", kMakeDeadline_s, [] {});
  CountProgress progress(graph.input == InputKind::images ? "making a data set: image" : "making a data set: token");
  const auto show = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
  if (graph.input == InputKind::images) {
    const std::int64_t images = rounded_up(samples, kFewestImages);
    const fs::path path = folder / usual_images_name(images);
    if (!fs::exists(path)) make_image_dataset(path, {.images = images, .seed = kSeed}, show);
    return path;
  }
  const std::int64_t tokens = rounded_up(samples * (graph.seq_len + 1), kFewestTokens);
  const fs::path path = folder / usual_tokens_name(graph.classes, tokens);
  if (!fs::exists(path)) make_token_file(path, tokens, graph.classes, kSeed, show);
  return path;
}

}  // namespace stash
