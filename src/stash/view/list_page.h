#pragma once

#include <string>
#include <string_view>

#include "stash/view/profile_folder.h"
#include "stash/view/request.h"

namespace stash {

// Which files the list shows: all words are somewhere in its row, and the part and the device are these where given.
struct ListFilter {
  std::string words;
  std::string part;  // the largest stall
  std::string device;
};

ListFilter filter_of(const Request& request);
bool matches(const ListedFile& file, const ListFilter& filter);

// The page with the whole table, and its rows alone, which the page's script asks for.
std::string list_page(const std::string& folder, const ProfileFolder& files, const ListFilter& filter);
std::string list_rows(const ProfileFolder& files, const ListFilter& filter);

std::string_view list_script();

}  // namespace stash
