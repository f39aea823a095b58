#pragma once

#include <string_view>

#include "stash/models/families.h"

namespace stash {

// A GPT of any size by its name: "gpt:layers=24,hidden=2048,heads=16,seq=1024", optionally vocab=N (default 50257,
// GPT-2's, not padded) and attention=fused|unfused (default unfused, as Megatron-LM trains: the scores go through
// memory).
bool is_gpt_spec(std::string_view name);

// The name of the size is `spec` itself, which must outlive it. UsageError names the key at fault and the nearest one.
GptSize parse_gpt_spec(std::string_view spec);

}  // namespace stash
