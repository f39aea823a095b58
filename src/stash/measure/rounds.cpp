#include "stash/measure/rounds.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "stash/attribute/attribute.h"
#include "stash/attribute/stopping.h"
#include "stash/core/clock.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

// Sent from rank 0 as a number.
enum Decision { go_on = 0, precise = 1, out_of_time = 2 };

Decision decide(const Profile& so_far, int rounds_done, double round_s, std::int64_t started_ns) {
  if (rounds_done < kFewestRounds) return go_on;
  if (precise_enough(attribute(so_far), so_far.job.precision_ratio)) return precise;
  if (so_far.job.rounds > 0 && rounds_done >= so_far.job.rounds) return out_of_time;
  return seconds(now_ns() - started_ns) + round_s > so_far.job.max_time_s ? out_of_time : go_on;
}

}  // namespace

StoppedBy run_rounds(Ruler& ruler, Control& control, const Job& job, std::int64_t started_ns, const Events& events,
                     const std::function<bool()>& stop) {
  Profile so_far;
  so_far.job = job;
  so_far.edge_s = ruler.edge_s();
  double round_s = ruler.round_s();
  for (int round = 0;; ++round) {
    const std::int64_t start_ns = now_ns();
    const bool whole = ruler.round(
        round,
        [&](const Window& window, const std::vector<std::string>& trace_lines) {
          so_far.windows.push_back(window);
          events.send("window", {{"window", to_json(window)}});
          for (const std::string& lines : trace_lines) events.send_lines(lines);
        },
        stop);
    if (!whole) return StoppedBy::interrupted;
    round_s = std::max(round_s, seconds(now_ns() - start_ns));
    const auto decision =
        static_cast<Decision>(std::lround(control.from_rank_0(decide(so_far, round + 1, round_s, started_ns))));
    if (decision == precise) return StoppedBy::precision;
    if (decision == out_of_time) return StoppedBy::time;
  }
}

}  // namespace stash
