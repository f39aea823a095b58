#pragma once

#include "stash/cli/verbs/verb.h"

namespace stash {

// The verbs of `stash serve`.
std::unique_ptr<Verb> make_serve_bench_verb();
std::unique_ptr<Verb> make_serve_predict_verb();

}  // namespace stash
