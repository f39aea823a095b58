#include "stash/core/json_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"

namespace stash {

std::vector<JsonKey> described(std::vector<JsonKey> keys, std::span<const KeyMeaning> meanings) {
  for (JsonKey& key : keys) {
    const auto found = std::ranges::find(meanings, key.path, &KeyMeaning::first);
    if (found == meanings.end()) throw Error(fmt::format("the key '{}' is not described", key.path));
    key.meaning = found->second;
  }
  for (const auto& [path, meaning] : meanings) {
    if (std::ranges::find(keys, path, &JsonKey::path) == keys.end()) {
      throw Error(fmt::format("'{}' is described, and no document has such a key", path));
    }
  }
  return keys;
}

}  // namespace stash
