#pragma once

#include <string>
#include <vector>

#include "stash/report/html/sections.h"

namespace stash {

// What stands before the sections.
struct PageHead {
  std::string title;                // of the browser's window
  std::string verdict;              // the first line
  std::vector<std::string> lines;   // under it
  std::vector<std::string> alerts;  // what a reader must see first: emulated, incomplete; empty ones are left out
};

// One HTML document that needs nothing else: style and script are inside, and a policy forbids any request.
std::string html_page(const PageHead& head, const std::vector<Section>& sections);

}  // namespace stash
