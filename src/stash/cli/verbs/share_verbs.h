#pragma once

#include <memory>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/verbs/verb.h"

namespace stash {

// The verbs of `stash share`.
std::unique_ptr<Verb> make_share_plan_verb();
std::unique_ptr<Verb> make_share_simulate_verb();
std::unique_ptr<Verb> make_share_run_verb();
std::unique_ptr<Verb> make_share_pool_verb();
std::unique_ptr<Verb> make_share_status_verb();
std::unique_ptr<Verb> make_share_train_verb();

FormatFlag sharing_format();  // text, json or html

}  // namespace stash
