#include "stash/core/words.h"

#include <algorithm>

namespace stash {

std::vector<std::string> split_list_strictly(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size() && !list.empty();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    words.emplace_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return words;
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> words = split_list_strictly(list);
  std::erase(words, "");
  return words;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string with_article(std::string_view name) {
  constexpr std::string_view kSpokenWithVowel = "8aeioAEIO";
  const bool vowel = !name.empty() && kSpokenWithVowel.find(name.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(name);
}

}  // namespace stash
