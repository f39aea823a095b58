#include "stash/input/dataset/default_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stash {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFewestImages = 256;  // 28 MB: seconds to make, and enough for a few different batches
constexpr std::int64_t kFewestTokens = 4'000'000;
constexpr std::uint64_t kSeed = 1;

constexpr std::string_view kImages = "images-500x375-";
constexpr std::string_view kTokens = "tokens-";
constexpr std::string_view kTokenFile = ".bin";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The next power of two, so that few different data sets are ever made.
std::int64_t rounded_up(std::int64_t count, std::int64_t least) {
  while (least < count) least *= 2;
  return least;
}

}  // namespace

fs::path default_dataset(const fs::path& folder, const Graph& graph, std::int64_t samples,
                         const DatasetProgress& progress) {
  if (graph.input == InputKind::images) {
    const std::int64_t images = rounded_up(samples, kFewestImages);
    const fs::path path = folder / default_images_name(images);
    if (!fs::exists(path)) make_image_dataset(path, {.images = images, .seed = kSeed}, progress);
    return path;
  }
  const std::int64_t tokens = rounded_up(samples * (graph.seq_len + 1), kFewestTokens);
  const fs::path path = folder / default_tokens_name(graph.classes, tokens);
  if (!fs::exists(path)) make_token_file(path, tokens, graph.classes, kSeed, progress);
  return path;
}

std::string default_images_name(std::int64_t images) { return fmt::format("{}{}", kImages, images); }

std::string default_tokens_name(std::int64_t vocabulary, std::int64_t tokens) {
  return fmt::format("{}{}-{}{}", kTokens, vocabulary, tokens, kTokenFile);
}

bool is_default_dataset(const std::filesystem::path& data) {
  const std::string file = data.filename().string();
  std::string_view name = file;
  if (name.starts_with(kImages)) return is_number(name.substr(kImages.size()));
  if (!name.starts_with(kTokens) || !name.ends_with(kTokenFile)) return false;
  name.remove_prefix(kTokens.size());
  name.remove_suffix(kTokenFile.size());
  const std::size_t dash = std::min(name.find('-'), name.size());
  return is_number(name.substr(0, dash)) && dash < name.size() && is_number(name.substr(dash + 1));
}

}  // namespace stash
