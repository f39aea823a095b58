#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stash {

// Pieces of a page. Texts are escaped here, `html` is not.
std::string paragraph(std::string_view text, std::string_view classes = "");
std::string figure(std::string_view html, std::string_view caption);
std::string list(const std::vector<std::string>& texts);
struct NamedList {
  std::string name;
  std::vector<std::string> texts;
};
std::string list(const std::vector<NamedList>& lists);  // each inside the item that names it
std::string facts(const std::vector<std::pair<std::string, std::string>>& names_and_texts);  // empty texts are left out

}  // namespace stash
