#include "stash/report/html/escape.h"

#include "stash/report/printable.h"

namespace stash {

std::string html_text(std::string_view text, std::size_t limit) {
  std::string escaped;
  for (const char c : printable(text, true, limit)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace stash
