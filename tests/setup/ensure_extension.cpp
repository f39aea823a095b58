// Prints the folder of the extension for an interpreter, after building it where it is missing.
#include <exception>
#include <iostream>

#include "stash/launch/extension.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: ensure_extension PYTHON ROOT\n";
    return 2;
  }
  try {
    const auto progress = [](std::string_view line) { std::cerr << "stash: " << line << '\n'; };
    std::cout << stash::ensure_extension(arguments[1], arguments[2], progress).folder.string() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "stash: " << error.what() << '\n';
    return 1;
  }
}
