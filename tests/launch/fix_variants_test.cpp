#include "stash/launch/fix_variants.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stash {
namespace {

const std::vector<Condition> kChain{Condition::solo, Condition::apart, Condition::node, Condition::hot,
                                    Condition::cold};
constexpr std::int64_t kMiB = 1 << 20;

std::string left_out(const FixVariants& chosen, std::string_view fix) {
  const auto row = std::ranges::find(chosen.tried, fix, &TriedFix::fix);
  return row == chosen.tried.end() ? "not there" : row->left_out;
}

bool has(const FixVariants& chosen, const Variant& variant) {
  return std::ranges::find(chosen.variants, variant) != chosen.variants.end();
}

TEST(Fixes, NamesComeBack) {
  for (const Fix& fix :
       {Fix{FixKind::half_gradients, "dp:0", 0}, Fix{FixKind::half_gradients, {}, 0},
        Fix{FixKind::bucket, {}, 25 * kMiB}, Fix{FixKind::pinned, {}, 0}, Fix{FixKind::no_delay, {}, 3}}) {
    EXPECT_EQ(fix_of(fix_variant(fix)), fix) << fix_variant(fix);
  }
  for (const char* other :
       {"", "off:dp", "workers", "workers:", "workers:-1", "workers:x", "bucket:99999999999999999999"}) {
    EXPECT_FALSE(fix_of(other)) << other;
  }
}

TEST(Fixes, OfABuiltInJobAreMeasuredWhereTheyMatter) {
  Job job;
  job.workers = 2;
  job.inject.rank_delay_s = {{1, 0.03}};
  const FixVariants chosen = choose_fix_variants(offered_fixes(job, 100 * kMiB), kChain);
  EXPECT_TRUE(has(chosen, {Condition::hot, "half_gradients"}));
  EXPECT_TRUE(has(chosen, {Condition::hot, "bucket:6291456"})) << "whole MiB";
  EXPECT_TRUE(has(chosen, {Condition::hot, "bucket:104857600"}));
  EXPECT_TRUE(has(chosen, {Condition::hot, "workers:4"}));
  EXPECT_TRUE(has(chosen, {Condition::cold, "workers:4"}));
  EXPECT_TRUE(has(chosen, {Condition::hot, "workers:1"}));
  EXPECT_TRUE(has(chosen, {Condition::hot, "prefetch:4"}));
  EXPECT_TRUE(has(chosen, {Condition::hot, "no_delay:1"}));
  EXPECT_EQ(left_out(chosen, "workers:4"), "");
  EXPECT_NE(left_out(chosen, "pinned"), "");
  EXPECT_EQ(most_workers_tried(job), 4);
  EXPECT_EQ(most_prefetch_tried(job), 2 * job.prefetch);
}

TEST(Fixes, WhatCannotShowIsLeftOutWithAReason) {
  Job job;
  const FixVariants alone = choose_fix_variants(offered_fixes(job, 10 * kMiB), {Condition::solo, Condition::apart});
  EXPECT_TRUE(alone.variants.empty());
  EXPECT_EQ(left_out(alone, "half_gradients"), "no condition with collectives was measured");
  EXPECT_EQ(left_out(alone, "workers:2"), "no condition with input was measured");
  EXPECT_EQ(left_out(alone, "bucket:104857600"), "one bucket holds all gradients already");
  job.ranks = 1;
  const FixVariants one = choose_fix_variants(offered_fixes(job, 100 * kMiB), {Condition::solo, Condition::hot});
  EXPECT_EQ(left_out(one, "half_gradients"), "one rank sums gradients with nobody");
  EXPECT_TRUE(has(one, {Condition::hot, "workers:2"}));
}

}  // namespace
}  // namespace stash
