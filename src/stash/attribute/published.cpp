#include "stash/attribute/published.h"

namespace stash {

namespace {

using Time = std::optional<double>;

Time time_of(const Ledger& ledger, Condition condition) {
  const auto found = ledger.step_by_condition.find(condition);
  return found == ledger.step_by_condition.end() ? Time() : Time(found->second.s);
}

// `joined` is not run where it would repeat `node`, nor `node` where it would repeat `solo`.
Time time_of_node(const Ledger& ledger, int ranks, int nodes) {
  return time_of(ledger, ranks > nodes ? Condition::node : Condition::solo);
}

Time time_of_joined(const Ledger& ledger, int ranks, int nodes) {
  return nodes > 1 ? time_of(ledger, Condition::joined) : time_of_node(ledger, ranks, nodes);
}

// (with - without) / of
Time share(Time with, Time without, Time of) {
  if (!with || !without || !of || !(*of > 0)) return std::nullopt;
  return (*with - *without) / *of;
}

}  // namespace

Published published_ratios(const Ledger& ledger, int ranks, int nodes) {
  const Time solo = time_of(ledger, Condition::solo);
  const Time node = time_of_node(ledger, ranks, nodes);
  const Time joined = time_of_joined(ledger, ranks, nodes);
  const Time hot = time_of(ledger, Condition::hot);
  const Time cold = time_of(ledger, Condition::cold);
  Published published;
  if (ranks > nodes) published.interconnect_ratio = share(node, solo, node);
  if (nodes > 1) published.network_ratio = share(joined, node, node);
  published.prep_ratio = share(hot, joined, hot);
  published.fetch_ratio = share(cold, hot, cold);
  return published;
}

}  // namespace stash
