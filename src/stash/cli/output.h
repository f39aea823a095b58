#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/usd_flag.h"
#include "stash/core/profile.h"

namespace CLI {
class App;
}

namespace stash {

// The flags of verbs that end in a report: --format and --usd-per-hour.
class ReportOutput {
 public:
  void add_to(CLI::App& app);
  void check() const;  // UsageError before anything is measured
  std::string render(Profile profile, bool to_terminal) const;
  void print(Profile profile) const;  // to standard output
  Format format() const { return format_.get(); }
  std::optional<double> usd_per_hour() const { return usd_per_hour_.get(); }
  // To stderr where no format was asked for: standard output is a script's.
  void print_beside_script(Profile profile) const;

 private:
  FormatFlag format_{
      kReportFormats,
      "text: a page to read; json: everything; csv: the ledger as a table; markdown: for a pull request; "
      "openmetrics: gauges; html: one file with charts; trace: what ranks did, for Perfetto"};
  UsdFlag usd_per_hour_;
};

// --out of verbs that write one file.
void add_out(CLI::App& app, std::string& path);
// --out of verbs that measure a profile: `path` is the default.
void add_profile_out(CLI::App& app, std::string& path);

// To standard output, or where `path` is not empty to that file, whole or not at all.
void print_or_write(const std::string& text, const std::string& path);

// Each on a line of its own on stderr. They quote files of others: control characters are shown, not sent.
void tell_warnings(std::span<const std::string> warnings);

// Error when a file of this name could not be written, known before a long measurement.
void check_writable(const std::string& path, std::string_view flag = "--out");

}  // namespace stash
