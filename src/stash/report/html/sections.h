#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace stash {

inline constexpr std::size_t kMostRankRows = 256;  // of a table that has one for each rank

// What the sections of a profile's page are made from.
struct Measured {
  const Profile& profile;
  const Ledger& ledger;
  std::optional<double> usd_per_hour;   // of all machines of the job together
  std::span<const Instance> instances;  // to look up what links should give
};

// A part of a page; one without a body is left out.
struct Section {
  std::string id;
  std::string title;
  std::string body;  // HTML
};

Section first_step_section(const Measured& measured);
Section ledger_section(const Measured& measured);
Section conditions_section(const Measured& measured);
Section ranks_section(const Measured& measured);
Section collectives_section(const Measured& measured);
Section input_section(const Measured& measured);
Section layers_section(const Measured& measured);
Section machine_section(const Measured& measured);
Section method_section(const Measured& measured);

}  // namespace stash
