#pragma once

#include <array>
#include <string_view>

namespace stash {

// The chain of conditions, each adding one cause of stalls to the one before; docs/method.md.
enum class Condition { solo, apart, node, joined, staged, hot, cold };
inline constexpr std::array kConditions{Condition::solo,   Condition::apart, Condition::node, Condition::joined,
                                        Condition::staged, Condition::hot,   Condition::cold};

// The parts of a step. Part i is the time that condition i adds.
enum class Part { compute, contention, interconnect, network, copy, prep, fetch };
inline constexpr std::array kParts{Part::compute, Part::contention, Part::interconnect, Part::network,
                                   Part::copy,    Part::prep,       Part::fetch};

std::string_view to_string(Condition condition);
std::string_view to_string(Part part);
Condition parse_condition(std::string_view name);  // UsageError names the nearest

constexpr bool uses_input(Condition c) { return c == Condition::hot || c == Condition::cold; }
constexpr Part part_added_by(Condition c) { return kParts[static_cast<int>(c)]; }

}  // namespace stash
