#pragma once

#include "../report/report_fixture.h"
#include "stash/battery/battery.h"

namespace stash::testing_support {

inline Case sample_case(const std::string& model = "resnet18", int batch = 64) {
  Case one;
  one.job.model = model;
  one.job.batch = batch;
  one.job.device = "emulated:V100";
  one.job.max_time_s = 10;
  one.name = case_name(one.job, one.nodes);
  return one;
}

// A complete profile of the case, whose step takes `scale` times 90 ms.
inline Profile profile_of(const Case& one, double scale = 1) {
  Profile profile = make_profile({{Condition::solo, 0.0433 * scale},
                                  {Condition::apart, 0.0434 * scale},
                                  {Condition::node, 0.0806 * scale},
                                  {Condition::hot, 0.0900 * scale},
                                  {Condition::cold, 0.0901 * scale}},
                                 0.0002 * scale);
  profile.job = one.job;
  profile.job.data = "/cache/images-500x375-512";
  profile.dataset_samples = 512;
  profile.dataset_bytes = 512 * 110'000;
  profile.cache_bytes = 8'000'000'000;
  return profile;
}

}  // namespace stash::testing_support
