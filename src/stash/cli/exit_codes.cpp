#include "stash/cli/exit_codes.h"

#include <algorithm>
#include <array>

namespace stash {
namespace {

struct VerbMeaning {
  std::string_view verb;  // empty: every verb
  int code;
  std::string_view meaning;
};

constexpr std::string_view kWasInterrupted = "interrupted with Ctrl-C or SIGTERM; what was measured so far is kept";

// The reference and the program's help print these; a verb's own meaning replaces the general one.
constexpr std::array kMeanings{
    VerbMeaning{"", 0, "done"},
    VerbMeaning{"", kExitFault, "the environment or the data are at fault; the message says what to do"},
    VerbMeaning{"", kExitUsage, "a flag or the job is at fault; the message names the nearest valid one"},
    VerbMeaning{"", kExitInterrupted, kWasInterrupted},
    VerbMeaning{"profile", 0, "a profile was made, whether or not it met its precision; the report says which"},
    VerbMeaning{"profile", kExitFault, "the environment or the data are at fault, or a rank died or hung"},
    VerbMeaning{"profile", kExitInterrupted, kWasInterrupted},
    VerbMeaning{"run", 0, "the command ended with 0; any other exit code of its own is passed on"},
    VerbMeaning{"watch", 0, "the command ended with 0; any other exit code of its own is passed on"},
    VerbMeaning{
        "report", kExitFault,
        "the file cannot be read, is damaged, was made by a newer Stash, has fewer than two complete rounds, or "
        "has no trace to show"},
    VerbMeaning{"diff", 0, "compared; nothing is over the limit of --fail-over"},
    VerbMeaning{"diff", kExitFault,
                "an increase is over the limit of --fail-over; or a file cannot be read or has fewer than two complete "
                "rounds, and nothing is printed"},
    VerbMeaning{"diff", kExitUsage, "a flag is at fault, or the jobs are not comparable"},
    VerbMeaning{"import", kExitFault, "a file cannot be read or holds no trace"},
    VerbMeaning{"view", 0, "ended with Ctrl-C or SIGTERM"},
    VerbMeaning{"view", kExitFault, "the folder cannot be read, or the port is in use"},
    VerbMeaning{"predict", kExitFault, "no machine can run the job, or the profile lacks something"},
    VerbMeaning{
        "advise", kExitFault,
        "nothing meets the deadline or the budget with the probability asked for (the report then shows what comes "
        "closest and what it would take), or the profile or the catalogue cannot be used"},
    VerbMeaning{"characterize", 0, "done, even if cases failed or remain"},
    VerbMeaning{"characterize", kExitFault, "the folder cannot be used"},
    VerbMeaning{"characterize", kExitUsage, "a flag or a key of the job file is at fault"},
    VerbMeaning{"characterize", kExitInterrupted, kWasInterrupted},
    VerbMeaning{"study", kExitInterrupted, kWasInterrupted},
    VerbMeaning{"serve", 0, "ended with Ctrl-C or SIGTERM, after what was accepted was answered; serve bench: done"},
    VerbMeaning{"serve", kExitFault,
                "the address is in use or is none of this machine; serve bench: nothing was answered, or the client "
                "was too late to time the server"},
    VerbMeaning{"serve", kExitInterrupted,
                "serve bench: interrupted with Ctrl-C or SIGTERM; what was measured is kept"},
    VerbMeaning{"load", kExitFault,
                "the server cannot be reached or answered nothing, or this client was too late to time it"},
    VerbMeaning{"fleet", kExitFault,
                "the environment or the data are at fault; fleet plan: the plan would miss more than --meet allows"},
    VerbMeaning{"fleet", kExitInterrupted, "interrupted with Ctrl-C or SIGTERM"},
    VerbMeaning{"share", kExitInterrupted, "interrupted with Ctrl-C or SIGTERM"},
    VerbMeaning{"links", kExitInterrupted, "interrupted with Ctrl-C or SIGTERM"},
    VerbMeaning{"doctor", 0, "no problem was found"},
    VerbMeaning{"doctor", kExitFault, "a problem was found; the message says what to fix"},
    VerbMeaning{"doctor", kExitInterrupted, "interrupted with Ctrl-C or SIGTERM"},
    VerbMeaning{"dataset", kExitFault, "the data set cannot be made or read, or `check` found broken images"},
};

}  // namespace

std::vector<ExitMeaning> exit_meanings(std::string_view verb) {
  std::vector<ExitMeaning> found;
  for (const VerbMeaning& general : kMeanings) {
    if (!general.verb.empty()) continue;
    const auto own = std::ranges::find_if(
        kMeanings, [&](const VerbMeaning& one) { return one.verb == verb && one.code == general.code; });
    const bool has_own = own != kMeanings.end();
    // Only verbs that start ranks handle an interruption; the others end as any program does.
    if (general.code == kExitInterrupted && !has_own && !verb.empty()) continue;
    found.push_back({general.code, std::string(has_own ? own->meaning : general.meaning)});
  }
  return found;
}

std::vector<std::string_view> verbs_with_exit_meanings() {
  std::vector<std::string_view> verbs;
  for (const VerbMeaning& one : kMeanings) {
    if (!one.verb.empty() && std::ranges::find(verbs, one.verb) == verbs.end()) verbs.push_back(one.verb);
  }
  return verbs;
}

}  // namespace stash
