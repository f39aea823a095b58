#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stash {

// The words of a comma list; empty ones are left out.
std::vector<std::string> split_list(std::string_view list);
// With the empty ones, for lists in which they are a fault. An empty list has no words.
std::vector<std::string> split_list_strictly(std::string_view list);

// ASCII only, as the names of clouds and chips are.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

// "a p3.16xlarge", "an 8x-4090", "an a2-highgpu-8g".
std::string with_article(std::string_view name);

}  // namespace stash
