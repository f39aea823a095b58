#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stash/fleet/live/fleet_bill.h"
#include "stash/fleet/live/fleet_log.h"
#include "stash/fleet/live/fleet_provider.h"
#include "stash/fleet/live/fleet_record.h"
#include "stash/fleet/live/load_book.h"
#include "stash/fleet/market/market.h"
#include "stash/fleet/policy/fleet_policy.h"

namespace stash {

struct FleetControllerOptions {
  std::filesystem::path folder;  // for fleet.json and decisions.jsonl; it exists
  std::string provider;          // its name
  double speed = 1;              // of the fleet's clock
  std::function<std::int64_t()> now_ns;
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // a line for the user
};

// Asks a policy and lets a provider carry out what it says. A fleet never becomes smaller because something went
// wrong: only a decision made with a known load and known machines stops any. One thread.
class FleetController {
 public:
  // Resumes where the record in the folder ends. Error where that is of another fleet.
  FleetController(const Market& market, FleetPolicy& policy, FleetProvider& provider, FleetControllerOptions options);

  // To be called about every second of time: looks, replaces what was lost, decides when it is time.
  void tick();
  void save();  // what a controller that follows needs

  double now_s() const;  // of the fleet's clock
  const std::vector<TypeCount>& machines() const { return counts_; }
  int ready() const;
  int starting() const;
  LoadBook& book() { return book_; }
  const FleetBill& bill() const { return bill_; }
  const std::vector<FleetChange>& changes() const { return changes_; }
  const std::string& trouble() const { return trouble_; }  // what does not work now; empty: nothing

 private:
  struct Slot {  // machines of one type, on demand or spot
    int type;
    bool spot;
  };
  void resume(const FleetRecord& record);
  void look();
  void note_changes(const std::vector<LiveMachine>& found);
  void note_gone(const LiveMachine& machine);
  void count_machines();
  void count_busy();
  void read_load();
  void decide();
  void carry_out(const FleetOrder& order, bool may_shrink);
  FleetOrder checked(FleetOrder order);
  bool start(Slot slot, int count, const std::string& reason);
  void stop(Slot slot, int count, const std::string& reason);
  void replace_lost();
  static int& of(std::vector<WantedType>& counts, Slot slot);
  int present(Slot slot) const;
  void keep(const std::string& why);
  void count_change(std::string_view what, Slot slot, int machines, const std::string& reason);
  void fail(const std::string& what);

  const Market& market_;
  FleetPolicy& policy_;
  FleetProvider& provider_;
  FleetControllerOptions options_;
  FleetLog log_;
  LoadBook book_;
  FleetBill bill_;
  std::int64_t begun_ns_;
  std::vector<LiveMachine> machines_;
  std::vector<TypeCount> counts_;
  std::vector<WantedType> wanted_;
  std::vector<WantedType> leaving_;  // by type: asked to end, and not seen to be about it yet
  std::map<std::string, double> busy_before_;
  double decided_s_ = 0;
  double next_decision_s_ = 0;
  double load_known_s_ = 0;
  bool machines_known_ = false;
  double retry_s_ = 0;
  double patience_s_ = 0;
  std::int64_t saved_ns_ = 0;
  std::vector<FleetChange> changes_;
  std::string last_kept_;
  std::string trouble_;
};

}  // namespace stash
