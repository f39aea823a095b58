#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

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
  void check() const;  // UsageError before anything is measured
  std::string render(const Profile& profile, const Ledger& ledger, bool to_terminal) const;
  void print(const Profile& profile, const Ledger& ledger) const;  // to standard output
  std::string_view format() const;                                 // text, json or csv
  std::optional<double> usd_per_hour() const { return usd_per_hour_; }
  // To stderr where no format was asked for: standard output is a script's.
  void print_beside_script(const Profile& profile, const Ledger& ledger) const;

 private:
  std::optional<std::string> format_;  // absent: text
  std::optional<double> usd_per_hour_;
};

// UsageError unless it is one of these.
void check_format(std::string_view format, std::span<const std::string_view> formats);
// --format of verbs that have a page, and --out of those that write one file.
void add_page_format(CLI::App& app, std::string& format);
void add_out(CLI::App& app, std::string& path);
void check_page_format(std::string_view format);  // text, json, csv or html

// To standard output, or where `path` is not empty to that file, whole or not at all.
void print_or_write(const std::string& text, const std::string& path);

// Each on a line of its own on stderr. They quote files of others: control characters are shown, not sent.
void tell_warnings(std::span<const std::string> warnings);

// Error when a file of this name could not be written, known before a long measurement.
void check_writable(const std::string& path, std::string_view flag = "--out");

}  // namespace stash
