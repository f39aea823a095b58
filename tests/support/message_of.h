#pragma once

#include <gtest/gtest.h>

#include <string>

#include "stash/core/error.h"

namespace stash {

// The message of the exception of type `Kind` that `work` throws; fails the test when it throws none.
template <class Kind = Error, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace stash
