#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stash {

// The environment or the data are at fault; the program exits with 1.
// The message says what failed, with which value, and what to do about it.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A flag or a job is at fault; the program exits with 2.
struct UsageError : Error {
  using Error::Error;
};

// The candidate with the smallest edit distance to `name`; empty when none is near.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

// UsageError "unknown <kind> '<name>'; did you mean '<nearest>'?", else the list of candidates.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view name,
                                std::span<const std::string_view> candidates);

}  // namespace stash
