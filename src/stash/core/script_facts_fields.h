#pragma once

#include "stash/core/json_fields.h"
#include "stash/core/nullable.h"
#include "stash/core/script_facts.h"

// The keys of what a script was seen to be.
namespace stash {

template <class V, json_fields::FieldsOf<ScriptFacts> T>
void fields(V& visit, T& facts) {
  json_fields::Nullable input{facts.input};
  visit("input", input);
  visit("parameters", facts.parameters, 0);
  visit("optimizers", facts.optimizers);
  visit("stored_as", facts.stored_as);
  visit("autocast", facts.autocast);
  visit("wrappers", facts.wrappers);
  visit("peak_memory_bytes", facts.peak_memory_bytes, 0);
}

}  // namespace stash
