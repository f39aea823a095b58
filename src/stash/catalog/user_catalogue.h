#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "stash/catalog/instance.h"

namespace stash {

// Where `stash catalog import` and `add` write: $XDG_DATA_HOME/stash/catalog, else ~/.local/share/stash/catalog. Empty
// where there is neither.
std::filesystem::path user_catalogue_folder();

// The built-in catalogue with the *.json and *.csv files of `folder` over it: what a user's row knows wins, what it
// does not know stays (overlay). Among the user's files the one with the newer rows wins. Rows and files that cannot
// be used are named in the warnings. A folder that is not there is empty.
Catalogue read_catalogue(const std::filesystem::path& folder);
Catalogue read_catalogue();  // of user_catalogue_folder()

// Writes `folder`/`name`.json, whole or not at all, in the place of an earlier one. Makes the folder.
std::filesystem::path write_user_instances(const std::filesystem::path& folder, std::string_view name,
                                           std::span<const Instance> instances);

}  // namespace stash
