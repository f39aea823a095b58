#include "stash/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "stash/catalog/user_catalogue.h"
#include "stash/cli/make_report.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/report/chrome_trace.h"
#include "stash/report/html/page.h"
#include "stash/report/printable.h"
#include "stash/report/report.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

constexpr std::size_t kWarningBytes = 1000;

std::string report_as(Format format, const Report& report, const ReportOptions& options) {
  switch (format) {
    case Format::text:
      return render_text(report, options);
    case Format::json:
      return render_json(report);
    case Format::csv:
      return render_csv(report);
    case Format::markdown:
      return render_markdown(report);
    case Format::openmetrics:
      return render_ledger_openmetrics(report);
    case Format::html:
      return render_html(report);
    case Format::trace:
      return render_trace(report);
  }
  return {};
}

}  // namespace

void ReportOutput::add_to(CLI::App& app) {
  format_.add_to(app);
  usd_per_hour_.add_to(app, "Price of all machines of the job together; adds the cost of each part");
}

void ReportOutput::check() const {
  format_.check();
  usd_per_hour_.check();
}

// The only place where a profile's report is made: with the user's own machines and prices, whatever the format.
std::string ReportOutput::render(Profile profile, bool to_terminal) const {
  const Catalogue catalogue = read_catalogue();
  tell_warnings(catalogue.warnings);
  const Report report = make_report(std::move(profile), catalogue.instances, usd_per_hour());
  return report_as(format(), report, to_terminal ? options_for_stdout() : ReportOptions{});
}

void ReportOutput::print_beside_script(Profile profile) const {
  if (format_.is_given()) return print(std::move(profile));
  fmt::print(stderr, "{}", render(std::move(profile), false));
}

void ReportOutput::print(Profile profile) const { print_or_write(render(std::move(profile), true), ""); }

void add_out(CLI::App& app, std::string& path) {
  app.add_option("--out", path, "Write to this file (atomically) instead of standard output")->type_name("FILE");
}

void add_profile_out(CLI::App& app, std::string& path) {
  app.add_option("--out", path, "File to write the profile to; an existing one is replaced")
      ->type_name("FILE")
      ->capture_default_str();
}

void print_or_write(const std::string& text, const std::string& path) {
  if (!path.empty()) return write_file_atomically(path, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error("cannot write the report to standard output; is the disk full, or the reader gone?");
}

void tell_warnings(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings)
    fmt::print(stderr, "stash: {}\n", printable(warning, true, kWarningBytes));
}

void check_writable(const std::string& path, std::string_view flag) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(path).parent_path();
  if (fs::is_directory(path)) throw UsageError(fmt::format("{} {} is a folder; name a file in it", flag, path));
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("cannot write {}: {}: {}; name another file with {}", path, folder.string(),
                            std::strerror(errno), flag));
  }
}

}  // namespace stash
