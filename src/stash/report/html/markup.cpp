#include "stash/report/html/markup.h"

#include <fmt/format.h>

#include "stash/report/html/escape.h"

namespace stash {

namespace {

constexpr std::size_t kLongest = 500;  // characters of a sentence that may hold names from a file
constexpr std::size_t kLongestFact = 200;
constexpr std::size_t kMostListBytes = 16'000;  // of one list

}  // namespace

std::string paragraph(std::string_view text, std::string_view classes) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return classes.empty() ? fmt::format("<p>{}</p>\n", html_text(text, kLongest))
                         : fmt::format("<p class=\"{}\">{}</p>\n", classes, html_text(text, kLongest));
}

std::string figure(std::string_view html, std::string_view caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", html, html_text(caption, kLongest));
}

std::string list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts) {
    if (items.size() < kMostListBytes) items += fmt::format("<li>{}</li>\n", html_text(text, kLongest));
  }
  return fmt::format("<ul>\n{}</ul>\n", items);
}

std::string list(const std::vector<NamedList>& lists) {
  std::string items;
  for (const NamedList& inner : lists) {
    if (items.size() < kMostListBytes) {
      items += fmt::format("<li>{}\n{}</li>\n", html_text(inner.name, kLongestFact), list(inner.texts));
    }
  }
  return fmt::format("<ul>\n{}</ul>\n", items);
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& names_and_texts) {
  std::string rows;
  for (const auto& [name, text] : names_and_texts) {
    if (text.empty() || rows.size() > kMostListBytes) continue;
    rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name, 40), html_text(text, kLongestFact));
  }
  return fmt::format("<dl>\n{}</dl>\n", rows);
}

}  // namespace stash
