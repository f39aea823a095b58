#include "stash/launch/fix_variants.h"

#include <algorithm>

namespace stash {
namespace {

constexpr int kFactor = 2;                         // of workers and prefetch
constexpr int kBucketFactor = 4;                   // a bucket that is half as large makes little difference
constexpr std::int64_t kSmallestBucket = 1 << 20;  // and sizes are whole MiB, as bucket_cap_mb takes them

bool has(const std::vector<Condition>& conditions, Condition condition) {
  return std::ranges::find(conditions, condition) != conditions.end();
}

// The condition that is nearest to training on: whatever hides a stall there hides it here. Pages are cold in a first
// epoch alone.
std::optional<Condition> base_of(const std::vector<Condition>& conditions, Condition first) {
  std::optional<Condition> base;
  for (const Condition condition : conditions) {
    if (condition >= first && condition != Condition::cold) base = std::max(base.value_or(condition), condition);
  }
  return base;
}

std::vector<Condition> bases_of(FixKind kind, const std::vector<Condition>& conditions) {
  if (!changes_input(kind)) {
    const std::optional<Condition> base = base_of(conditions, changes_sums(kind) ? Condition::node : Condition::apart);
    return base ? std::vector{*base} : std::vector<Condition>();
  }
  std::vector<Condition> bases;
  if (has(conditions, Condition::hot)) bases.push_back(Condition::hot);
  if (has(conditions, Condition::cold) && (bases.empty() || kind == FixKind::workers)) {
    bases.push_back(Condition::cold);
  }
  return bases;
}

std::string why_unseen(FixKind kind) {
  if (changes_input(kind)) return "no condition with input was measured";
  return changes_sums(kind) ? "no condition with collectives was measured" : "no condition with all ranks was measured";
}

void offer_sums(const Job& job, std::int64_t gradient_bytes, std::vector<FixOffer>& offers) {
  const std::string alone = job.ranks < 2 ? "one rank sums gradients with nobody" : "";
  const std::int64_t small =
      std::max(job.bucket_bytes / kBucketFactor / kSmallestBucket * kSmallestBucket, kSmallestBucket);
  const bool is_one = gradient_bytes <= job.bucket_bytes;
  offers.push_back({{.kind = FixKind::half_gradients}, alone});
  if (small < job.bucket_bytes) offers.push_back({{.kind = FixKind::bucket, .value = small}, alone});
  offers.push_back({{.kind = FixKind::bucket, .value = job.bucket_bytes * kBucketFactor},
                    !alone.empty() ? alone
                    : is_one       ? "one bucket holds all gradients already"
                                   : ""});
}

}  // namespace

int most_workers_tried(const Job& job) { return std::min(kFactor * job.workers, kMostWorkersPerRank); }
int most_prefetch_tried(const Job& job) { return kFactor * job.prefetch; }

std::vector<FixOffer> offered_fixes(const Job& job, std::int64_t gradient_bytes) {
  std::vector<FixOffer> offers;
  offer_sums(job, gradient_bytes, offers);
  if (most_workers_tried(job) > job.workers) {
    offers.push_back({{.kind = FixKind::workers, .value = most_workers_tried(job)}});
  }
  if (job.workers > 1) offers.push_back({{.kind = FixKind::workers, .value = job.workers / kFactor}});
  offers.push_back({{.kind = FixKind::prefetch, .value = most_prefetch_tried(job)}});
  offers.push_back({{.kind = FixKind::pinned},
                    job.device.is_cpu() ? "batches stay in the CPU's memory" : "batches are in pinned memory already"});
  for (const auto& [rank, delay_s] : job.inject.rank_delay_s) {
    offers.push_back({{.kind = FixKind::no_delay, .value = rank}});
  }
  return offers;
}

FixVariants choose_fix_variants(const std::vector<FixOffer>& offers, const std::vector<Condition>& conditions) {
  FixVariants chosen;
  for (const FixOffer& offer : offers) {
    const std::string name = fix_variant(offer.fix);
    const std::vector<Condition> bases = bases_of(offer.fix.kind, conditions);
    std::string why_not = offer.why_not;
    if (why_not.empty() && bases.empty()) why_not = why_unseen(offer.fix.kind);
    if (why_not.empty()) {
      for (const Condition base : bases) chosen.variants.push_back({base, name});
    }
    chosen.tried.push_back({name, why_not});
  }
  return chosen;
}

}  // namespace stash
