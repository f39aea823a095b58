#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "stash/catalog/instance.h"
#include "stash/catalog/skypilot_price.h"
#include "stash/catalog/vms_reader.h"

namespace stash {

// Google sells a machine and its GPUs apart: SkyPilot's file has rows of machines without GPUs and of GPUs without a
// machine, for each zone. Adds them up where it is known which machine has which GPUs.
class GooglePrices {
 public:
  void take_machine(const Instance& known, const VmsRow& row);
  void take_gpus(const VmsRow& row);

  struct Price {
    const Instance* machine = nullptr;
    SkypilotPrice price;
  };
  std::vector<Price> joined() const;  // one for each zone that sells both

 private:
  struct Machine {
    const Instance* known = nullptr;
    std::string zone;
    SkypilotPrice price;
  };
  std::vector<Machine> machines_;
  std::unordered_map<std::string, SkypilotPrice> gpus_;
};

}  // namespace stash
