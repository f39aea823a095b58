#pragma once

#include <span>
#include <string>
#include <vector>

namespace stash {

// Rows as columns that are as wide as their widest cell, two spaces apart, each line after `indent` spaces. Columns in
// `left` hold words and start at the left. Rows may be of different lengths.
std::string render_columns(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> left,
                           std::size_t indent = 2);

std::size_t characters(std::string_view utf8);

}  // namespace stash
