#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stash {

// Text from others, for GitHub's Markdown: it shows as it is, and makes no markup, link, HTML, mention or table cell.
std::string markdown_text(std::string_view text);

// The same as code.
std::string markdown_code(std::string_view text);

// Cells that already are Markdown. The first row is the header; columns after the first `left` are numbers.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows, std::size_t left = 1);

}  // namespace stash
