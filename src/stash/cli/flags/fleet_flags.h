#pragma once

#include <string>
#include <vector>

#include "stash/fleet/market/market.h"

namespace CLI {
class App;
}

namespace stash {

// The flags of all verbs of `stash fleet` that rent machines: for which model, what is promised, what can be rented.
class FleetFlags {
 public:
  void add_to(CLI::App& app);

  // What a plan says, where the flags do not.
  void use_for_missing(const std::string& model, double objective_s);

  FleetObjective objective() const;  // UsageError
  Market market() const;             // UsageError; tells warnings
  std::string model_spec() const;    // as `stash serve --model` takes it; UsageError
  std::string market_name() const;   // "the catalogue", the file or the name

 private:
  std::string model_;
  std::string dtype_ = "fp32";
  std::string objective_;
  std::string meet_ = "98%";
  std::string market_;
  std::string on_;
};

}  // namespace stash
