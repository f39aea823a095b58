#include <fmt/format.h>

#include <algorithm>

#include "stash/core/units.h"
#include "stash/report/html/html_table.h"
#include "stash/report/html/markup.h"
#include "stash/report/html/part_colors.h"
#include "stash/report/html/sections.h"
#include "stash/report/lines.h"
#include "stash/report/table.h"

namespace stash {

namespace {

constexpr std::size_t kMostRankBars = 16;

// Means over windows, per step; nullopt where no window tells.
struct RankMeans {
  int rank = 0;
  std::optional<double> own_s;      // its step without collectives
  std::optional<double> input_s;    // waiting for batches, where they come from the pipeline
  std::optional<double> collect_s;  // issue to completion of collectives, where they are all there
  std::optional<double> behind_s;   // to the collectives, against the median of the others
};

// The mean of what `value` finds in the windows.
template <class Value>
std::optional<double> mean_over(const Profile& profile, int rank, Value value) {
  double sum = 0;
  int count = 0;
  for (const Window& window : profile.windows) {
    if (static_cast<std::size_t>(rank) >= window.ranks.size() || !window.ranks[rank] || window.steps <= 0) continue;
    if (const std::optional<double> found = value(window, *window.ranks[rank])) {
      sum += *found;
      ++count;
    }
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

RankMeans means_of(const Profile& profile, int rank, Condition last) {
  using Found = std::optional<double>;
  return {rank,
          mean_over(profile, rank,
                    [](const Window& window, const RankSample& sample) -> Found {
                      return window.condition == Condition::apart ? Found(sample.wall_s / window.steps) : Found();
                    }),
          mean_over(profile, rank,
                    [&](const Window& window, const RankSample& sample) -> Found {
                      return window.condition == last && uses_input(last) ? Found(sample.input_wait_s / window.steps)
                                                                          : Found();
                    }),
          mean_over(profile, rank,
                    [&](const Window& window, const RankSample& sample) -> Found {
                      return window.condition == last ? Found(sample.collective_s / window.steps) : Found();
                    }),
          mean_over(profile, rank, [&](const Window& window, const RankSample& sample) -> Found {
            return window.condition == last ? sample.behind_s : Found();
          })};
}

std::string chart_of(const std::vector<RankMeans>& ranks, const Report& report) {
  std::vector<RankMeans> latest = ranks;
  std::ranges::stable_sort(latest, std::ranges::greater{}, [](const RankMeans& r) { return r.behind_s.value_or(0); });
  latest.resize(std::min(latest.size(), kMostRankBars));
  std::vector<BarRow> rows;
  for (const RankMeans& rank : latest) {
    if (!rank.behind_s) continue;
    const bool is_late = report.ledger.late_rank && report.ledger.late_rank->rank == rank.rank;
    const std::string label = fmt::format("rank {} on {}", rank.rank, host_of(report.profile, rank.rank));
    const std::string figures = fmt::format("{} ms behind", milliseconds(*rank.behind_s, report.ledger));
    rows.push_back(
        {label, figures, {{*rank.behind_s, is_late ? "part-network" : "series-quiet", label + ": " + figures}}, {}});
  }
  if (rows.empty()) return "";
  return figure(
      bar_chart("How late each rank is, per step", rows, tick_ms),
      "How late each rank reaches the step's collectives, relative to the median of the other ranks; a late rank "
      "is colored.");
}

}  // namespace

Section ranks_section(const Report& report) {
  const Profile& profile = report.profile;
  if (profile.job.ranks < 2 || report.ledger.step_by_condition.empty()) return {"ranks", "Ranks", ""};
  const Condition last = report.ledger.step_by_condition.rbegin()->first;
  HtmlTable table(fmt::format("Ranks, means under {}, ms per step", to_string(last)),
                  {"rank", "host", "own step, apart", "waits for input", "in collectives", "behind"});
  std::vector<RankMeans> ranks;
  for (int rank = 0; rank < std::min(profile.job.ranks, int{kMostRankRows}); ++rank) {
    const RankMeans& means = ranks.emplace_back(means_of(profile, rank, last));
    const auto ms = [&](std::optional<double> s) {
      return s ? Cell{milliseconds(*s, report.ledger), *s * 1e3} : Cell{"–"};
    };
    table.add({fmt::format("{}", rank), host_of(profile, rank), ms(means.own_s), ms(means.input_s), ms(means.collect_s),
               ms(means.behind_s)});
  }
  return {"ranks", "Ranks",
          paragraph(late_rank_line(profile, report.ledger)) + chart_of(ranks, report) + table.folded()};
}

}  // namespace stash
