#pragma once

#include <memory>

#include "stash/cli/verbs/verb.h"

namespace stash {

// The verbs of `stash fleet`.
std::unique_ptr<Verb> make_fleet_plan_verb();
std::unique_ptr<Verb> make_fleet_replay_verb();
std::unique_ptr<Verb> make_fleet_run_verb();
std::unique_ptr<Verb> make_fleet_status_verb();
std::unique_ptr<Verb> make_fleet_stop_verb();
std::unique_ptr<Verb> make_fleet_export_verb();

}  // namespace stash
