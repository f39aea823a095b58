#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stash/catalog/gpu.h"
#include "stash/catalog/instance.h"

namespace stash {

// The instances of catalog/instances.csv, which is part of the program.
std::span<const Instance> instance_table();

// Upper and lower case are the same. UsageError names the nearest; the result lives as long as `instances`.
const Instance& find_instance(std::span<const Instance> instances, std::string_view name);
const Instance& find_instance(std::string_view name);  // of instance_table()
const Instance* find_instance_or_null(std::span<const Instance> instances,
                                      std::string_view name);  // nullptr: not there

// As the catalogue spells a cloud: lower case, and google for SkyPilot's gcp.
std::string cloud_name(std::string_view name);

// Rows in the form of catalog/instances.csv; columns may be missing or in another order, an empty cell is unknown. A
// row at fault becomes a warning; Error where the header is. `source` names the text.
Catalogue parse_instances(std::string_view text, std::string_view source);

// nullptr: nothing is known of its GPU's rates, or it has none.
const Gpu* known_gpu(const Instance& instance);

// Machines that people own have no price unless their row says one; nothing recommends to rent them.
bool is_for_rent(const Instance& instance);

// What the cloud says that one GPU has, else what its data sheet says.
std::optional<std::int64_t> gpu_memory_bytes(const Instance& instance);

}  // namespace stash
