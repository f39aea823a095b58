#pragma once

#include <filesystem>
#include <string>

namespace stash {

// A Python interpreter and the torch that it would import.
struct Interpreter {
  std::filesystem::path python;          // absolute; links are kept, since an environment is found by them
  std::string version;                   // "3.11.7"
  std::string abi;                       // "cpython-311-x86_64-linux-gnu"
  std::filesystem::path include_folder;  // where Python.h is, or ought to be
  bool system = false;                   // the distribution's own, whose headers are a package
  std::filesystem::path torch_folder;
  std::string torch_version;   // "2.13.0+cpu"
  std::string torch_build;     // which build of that version: its git revision, CUDA or ROCm
  bool new_string_abi = true;  // the C++ library's ABI that torch was built with; false up to torch 2.5
  bool operator==(const Interpreter&) const = default;
};

// "3.11" of "3.11.7".
std::string minor_version(const Interpreter& interpreter);

// Asks the interpreter, or remembers from `memory_folder` what it said while it and its torch are the same files.
// An empty one, or one that cannot be written, remembers nothing. Does not import torch. UsageError when it cannot run,
// has no torch, or one older than 2.5.
Interpreter find_interpreter(const std::filesystem::path& python, const std::filesystem::path& memory_folder);

}  // namespace stash
