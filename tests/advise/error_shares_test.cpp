#include "stash/advise/error_shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "advise_fixture.h"

namespace stash {

namespace {

using testing_support::machine;

Estimate within(double s, double half_width_s) { return {s, s - half_width_s, s + half_width_s}; }

// Compute is known to +-0.6, the links to +-0.48, the network to +-0.64 of a second: +-1 altogether.
Prediction over_links_and_network() {
  Prediction prediction = machine("a", 2, 10, 1);
  prediction.job_error_ratio = 0.75;
  prediction.ledger.step = within(10, 1);
  prediction.ledger[Part::compute] = within(6, 0.6);
  prediction.ledger[Part::interconnect] = within(2, 0.48);
  prediction.ledger[Part::network] = within(2, 0.64);
  return prediction;
}

double sum_of(const ErrorShares& shares) {
  return shares.job + shares.gpu + shares.links + shares.network + shares.input + shares.own;
}

}  // namespace

TEST(ErrorShares, AreThoseOfThePartsInTheVarianceOfTheStep) {
  const ErrorShares shares = error_shares(over_links_and_network());
  EXPECT_NEAR(shares.job, 0.27, 1e-9);
  EXPECT_NEAR(shares.gpu, 0.09, 1e-9);
  EXPECT_NEAR(shares.links, 0.1152, 1e-9);
  EXPECT_NEAR(shares.network, 0.2048, 1e-9);
  EXPECT_EQ(shares.input, 0);
  EXPECT_NEAR(shares.own, 0.32, 1e-9);
}

TEST(ErrorShares, SumToOneWhateverTheIntervals) {
  Prediction wide = over_links_and_network(), none = wide, odd = wide;
  wide.ledger[Part::compute] = within(6, 60);
  none.ledger.step = within(10, 0);
  odd.ledger[Part::network] = Estimate{1, -INFINITY, NAN};
  for (const Prediction& prediction : {over_links_and_network(), wide, none, odd}) {
    EXPECT_NEAR(sum_of(error_shares(prediction)), 1, 1e-9);
  }
}

}  // namespace stash
