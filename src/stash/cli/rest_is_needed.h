#pragma once

namespace stash {

// Thrown in the first program by what only the whole program can do; no std::exception, so that nothing but main stops
// it.
struct RestIsNeeded {};

// Builds the whole program if it is not there, by way of ./stash, and puts it in the place of this one. Error: there is
// no ./stash.
[[noreturn]] void become_whole_program(char** argv);

}  // namespace stash
