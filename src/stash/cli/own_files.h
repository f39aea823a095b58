#pragma once

#include <filesystem>
#include <string>

namespace stash {

// Where the sources and the Python packages are: given by ./stash, else found from the program's own place.
std::filesystem::path root_folder();

// The program itself.
std::filesystem::path own_program();

// The interpreter that was named, else the one that ./stash found. UsageError when there is none.
std::filesystem::path chosen_python(const std::string& named);

}  // namespace stash
