#include "stash/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/report/chrome_trace.h"
#include "stash/report/html/page.h"
#include "stash/report/printable.h"
#include "stash/report/report.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

using Renderer = std::string (*)(const Profile&, const Ledger&, const ReportOptions&);

std::string render_page(const Profile& profile, const Ledger& ledger, const ReportOptions& options) {
  return render_html({profile, ledger, options.usd_per_hour, instance_table()});
}

constexpr std::size_t kWarningBytes = 1000;
constexpr std::array<std::string_view, 4> kPageFormats{"text", "json", "csv", "html"};
constexpr std::array<std::string_view, 7> kFormats{"text", "json", "csv", "markdown", "openmetrics", "html", "trace"};
constexpr std::array<Renderer, 7> kRenderers{
    render_text, render_json, render_csv, render_markdown, render_ledger_openmetrics, render_page, render_trace};

Renderer renderer_of(std::string_view format) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i] == format) return kRenderers[i];
  }
  throw_unknown("--format", format, kFormats);
}

}  // namespace

void ReportOutput::add_to(CLI::App& app) {
  app.add_option("--format", format_,
                 "text: a page to read; json: everything; csv: the ledger as a table; "
                 "markdown: for a pull request; openmetrics: gauges; html: one file with charts; trace: what ranks "
                 "did, for Perfetto")
      ->type_name("text|json|csv|markdown|openmetrics|html|trace")
      ->default_str(std::string(kFormats.front()));
  app.add_option("--usd-per-hour", usd_per_hour_, "Price of all machines of the job; adds what each part costs")
      ->type_name("USD");
}

void ReportOutput::check() const {
  renderer_of(format());
  if (usd_per_hour_ && !(std::isfinite(*usd_per_hour_) && *usd_per_hour_ > 0)) {
    throw UsageError("--usd-per-hour takes a price above 0, like 24.48");
  }
}

std::string ReportOutput::render(const Profile& profile, const Ledger& ledger, bool to_terminal) const {
  ReportOptions options = to_terminal ? options_for_stdout() : ReportOptions{};
  options.usd_per_hour = usd_per_hour_;
  return renderer_of(format())(profile, ledger, options);
}

std::string_view ReportOutput::format() const { return format_ ? std::string_view(*format_) : kFormats.front(); }

void ReportOutput::print_beside_script(const Profile& profile, const Ledger& ledger) const {
  if (format_) return print(profile, ledger);
  fmt::print(stderr, "{}", render(profile, ledger, false));
}

void ReportOutput::print(const Profile& profile, const Ledger& ledger) const {
  print_or_write(render(profile, ledger, true), "");
}

void check_format(std::string_view format, std::span<const std::string_view> formats) {
  if (std::find(formats.begin(), formats.end(), format) == formats.end()) throw_unknown("--format", format, formats);
}

void add_page_format(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "text, json, csv, or html: one file with charts")
      ->type_name("text|json|csv|html")
      ->capture_default_str();
}

void add_out(CLI::App& app, std::string& path) {
  app.add_option("--out", path, "Write to this file, whole or not at all, instead of standard output")
      ->type_name("FILE");
}

void check_page_format(std::string_view format) { check_format(format, kPageFormats); }

void print_or_write(const std::string& text, const std::string& path) {
  if (!path.empty()) return write_file_atomically(path, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error("cannot write the report to standard output; is the disk full, or the reader gone?");
}

void tell_warnings(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "stash: {}\n", printable(warning, true, kWarningBytes));
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
