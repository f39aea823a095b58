#include "stash/input/usual_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stash {
namespace {

constexpr std::string_view kImages = "images-500x375-";
constexpr std::string_view kTokens = "tokens-";
constexpr std::string_view kTokenFile = ".bin";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string usual_images_name(std::int64_t images) { return fmt::format("{}{}", kImages, images); }

std::string usual_tokens_name(std::int64_t vocabulary, std::int64_t tokens) {
  return fmt::format("{}{}-{}{}", kTokens, vocabulary, tokens, kTokenFile);
}

bool is_usual_dataset(const std::filesystem::path& data) {
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
