#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stash {

// Every byte of the file; empty where there is none.
inline std::string file_content(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace stash
