#pragma once

namespace stash {

// The variables of a rank's environment that are read in C++.

// The variables by which a rank finds its event channel and the shared page.
inline constexpr const char* kEventFdVariable = "STASH_EVENT_FD";
inline constexpr const char* kSharedFdVariable = "STASH_SHARED_FD";
// Which of the ranks that its supervisor started a rank is, and of how many.
inline constexpr const char* kTeamIndexVariable = "STASH_TEAM_INDEX";
inline constexpr const char* kTeamCountVariable = "STASH_TEAM_COUNT";
// What ranks do; unset: train and measure; "links": time the links; "doctor": say what they are.
inline constexpr const char* kPurposeVariable = "STASH_PURPOSE";

}  // namespace stash
