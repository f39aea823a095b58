#pragma once

#include <optional>
#include <string>

#include "stash/core/ledger.h"
#include "stash/core/profile.h"

namespace CLI {
class App;
}

namespace stash {

// The flags of verbs that end in a report: --format and --usd-per-hour.
class ReportOutput {
 public:
  void add_to(CLI::App& app);
  void check() const;                                                    // UsageError before anything is measured
  std::string render(const Profile& profile, const Ledger& ledger, bool to_terminal) const;
  void print(const Profile& profile, const Ledger& ledger) const;        // to standard output

 private:
  std::string format_ = "text";
  std::optional<double> usd_per_hour_;
};

// Error when a file of this name could not be written, known before a long measurement.
void check_writable(const std::string& path);

}  // namespace stash
