#include "stash/report/printable.h"

#include <array>
#include <utility>

namespace stash {

namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;

struct Character {
  char32_t code = kInvalid;
  std::size_t bytes = 1;
};

// The first character of a text that is not empty; kInvalid where it is not UTF-8 in its shortest form.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= kSmallest[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? Character{code, bytes} : Character{};
}

// Escapes, line breaks of any kind, and marks that turn the direction of what follows.
bool is_harmful(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == kInvalid;
}

}  // namespace

std::string printable(std::string_view text, bool unicode, std::size_t limit) {
  std::string clean;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == limit) return clean + "...";
    const Character character = first_character(text);
    const bool shown = !is_harmful(character.code) && (unicode || character.code < 0x80);
    clean += shown ? text.substr(0, character.bytes) : "?";
    text.remove_prefix(character.bytes);
  }
  return clean;
}

std::string to_ascii(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kStandIns{
      {{"±", "+-"}, {"–", "-"}, {"µ", "u"}, {"…", ".."}, {"−", "-"}, {"²", "^2"}}};
  std::string ascii(text);
  for (const auto& [from, to] : kStandIns) {
    for (std::size_t place = ascii.find(from); place != std::string::npos;
         place = ascii.find(from, place + to.size())) {
      ascii.replace(place, from.size(), to);
    }
  }
  return ascii;
}

}  // namespace stash
