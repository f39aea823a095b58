#include "stash/ruler/rounds.h"

#include <algorithm>
#include <cmath>

#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"
#include "stash/attribute/variants.h"
#include "stash/core/clock.h"

namespace stash {
namespace {

// Sent from rank 0 as a number.
enum Decision { go_on = 0, precise = 1, out_of_time = 2 };

Decision decide(const Profile& so_far, int rounds_done, double end_of_next_s, std::size_t variants,
                PrecisionRule& precision) {
  if (rounds_done < kFewestRounds) return go_on;
  const Ledger ledger = attribute(so_far);
  const bool is_precise = precision.met_after(ledger);
  const bool told =
      variants == 0 || variants_precise(variant_savings(so_far), variants, so_far.job.precision_ratio, ledger.step.s);
  if (is_precise && told) return precise;
  if (so_far.job.rounds > 0 && rounds_done >= so_far.job.rounds) return out_of_time;
  return end_of_next_s > so_far.job.max_time_s ? out_of_time : go_on;
}

}  // namespace

StoppedBy run_rounds(Ruler& ruler, const RulerParts& parts, const std::function<bool()>& stop) {
  Profile so_far;
  so_far.job = parts.job;
  so_far.edge_s = ruler.edge_s();
  PrecisionRule precision(parts.job.precision_ratio);
  double round_s = ruler.round_s();
  for (int round = 0;; ++round) {
    const std::int64_t start_ns = parts.time.now_ns();
    if (!ruler.round(round, so_far, stop)) return StoppedBy::interrupted;
    const std::int64_t end_ns = parts.time.now_ns();
    round_s = std::max(round_s, seconds(end_ns - start_ns));
    const double next_end_s = seconds(end_ns - ruler.rounds_start_ns()) + round_s;
    const Decision own = decide(so_far, round + 1, next_end_s, ruler.variants().size(), precision);
    const auto decision = static_cast<Decision>(std::lround(parts.control.from_rank_0(own)));
    if (decision == precise) return StoppedBy::precision;
    if (decision == out_of_time) return StoppedBy::time;
  }
}

}  // namespace stash
