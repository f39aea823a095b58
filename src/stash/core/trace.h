#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/condition.h"

namespace stash {

// What a rank does with a stretch of time. `compute` is what cannot be told apart any further: a script's own code.
enum class SpanKind { step, input_wait, copy, forward, backward, optimizer, compute, collective };
inline constexpr std::array kSpanKinds{SpanKind::step,    SpanKind::input_wait, SpanKind::copy,
                                       SpanKind::forward, SpanKind::backward,   SpanKind::optimizer,
                                       SpanKind::compute, SpanKind::collective};

std::string_view to_string(SpanKind kind);

struct Span {
  SpanKind kind = SpanKind::step;
  std::int64_t start_us = 0;  // since the first rank started the window
  std::int64_t length_us = 0;
  std::int64_t bytes = 0;  // of a collective
  std::string op = {};     // of a collective: allreduce, broadcast, ...
  std::string group = {};  // of a collective: its process group, where that has a name
  bool operator==(const Span&) const = default;
};

// One rank in one window, each list in the order of its starts, a step before what is in it.
struct RankTrace {
  int rank = 0;
  std::vector<Span> host = {};    // as the host saw it; on an accelerator it runs ahead
  std::vector<Span> device = {};  // as the accelerator did it; empty where there is none
  std::int64_t left_out = 0;      // spans that there was no room for
  bool operator==(const RankTrace&) const = default;
};

// What the ranks did in one window; a profile has one for each condition.
struct WindowTrace {
  int round = 0;
  Condition condition = Condition::solo;
  std::vector<RankTrace> ranks = {};  // those that took part
  bool operator==(const WindowTrace&) const = default;
};

}  // namespace stash
