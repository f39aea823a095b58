#pragma once

#include <sys/types.h>

namespace stash {

// In a child that was just forked: gives it a process group of its own, so that Ctrl-C reaches `parent` alone, sends it
// `end_signal` when `parent` ends, and holds no signal back. Leaves the process if `parent` has ended already.
void set_up_forked_child(pid_t parent, int end_signal);

}  // namespace stash
