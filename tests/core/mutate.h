#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <string>

namespace stash {

inline std::size_t below(std::mt19937& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// Bytes flipped, cut out, doubled, or replaced by a token: up to `most_changes` of them, each shorter than `longest`.
inline std::string mutate(std::string text, std::mt19937& random, std::span<const std::string> tokens,
                          std::size_t most_changes, std::size_t longest) {
  const std::size_t changes = 1 + below(random, most_changes);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t place = below(random, text.size());
    const std::size_t length = std::min(text.size() - place, below(random, longest));
    switch (below(random, 4)) {
      case 0:
        text[place] = static_cast<char>(below(random, 256));
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, text.substr(place, length));
        break;
      default:
        text.replace(place, length, tokens[below(random, tokens.size())]);
    }
  }
  return text;
}

}  // namespace stash
