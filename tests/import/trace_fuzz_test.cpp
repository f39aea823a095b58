#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "../core/mutate.h"
#include "kineto_trace.h"
#include "made_trace.h"
#include "stash/core/error.h"
#include "stash/import/trace_ledger.h"

namespace stash {

namespace {

using testing_support::gzipped;
using testing_support::KinetoTrace;
using testing_support::MadeTrace;
using testing_support::TraceFile;

constexpr int kMutations = 500;

// Bytes flipped, cut out, doubled, or replaced by what JSON readers stumble over.
std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kTokens = {"null", "1e999",   "-1",  "{}",   "[",   "]",
                                                   "\"",   "\\",      "NaN", "true", "1.5", "99999999999999999999",
                                                   ",",    "{\"a\":", "}",   "4e15"};
  return stash::mutate(std::move(text), random, kTokens, 6, 40);
}

std::string made_text() {
  MadeTrace made;
  for (int i = 0; i < 6; ++i) {
    made.step(i, i * 100, 100).input(i * 100, 9).copy(i * 100 + 5, 10).compute(i * 100 + 20, 50);
    made.collective(i * 100 + 50, 30).op(i * 100, 80);
  }
  return made.of_rank(0, 2);
}

void expect_sound(const ImportedTrace& trace) {
  for (const TraceRank& rank : trace.ranks) {
    double sum_s = 0;
    for (const auto& part : rank.parts) {
      EXPECT_GE(part.value_or(0), 0);
      sum_s += part.value_or(0);
    }
    EXPECT_TRUE(std::isfinite(rank.step_s));
    EXPECT_GT(rank.step_s, 0);
    EXPECT_NEAR(sum_s, rank.step_s, 1e-9 * rank.step_s + 1e-12);
  }
}

}  // namespace

TEST(TraceFuzz, DamagedTracesGiveASoundLedgerOrAnErrorAndNothingElse) {
  const std::array<std::string, 3> valid{made_text(), KinetoTrace().text(), gzipped(KinetoTrace().text())};
  std::mt19937 random(20230718);
  int damaged = 0;
  for (int i = 0; i < kMutations; ++i) {
    const TraceFile file(mutate(valid[static_cast<std::size_t>(i) % valid.size()], random));
    try {
      const ImportedTrace trace = import_trace(file.path());
      expect_sound(trace);
      damaged += trace.read.damaged > 0 || trace.read.truncated ? 1 : 0;
    } catch (const Error&) {
      ++damaged;
    }
  }
  EXPECT_GT(damaged, kMutations / 4);
  EXPECT_LT(damaged, kMutations);
}

}  // namespace stash
