#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "stash/attribute/attribute.h"
#include "stash/cli/verb.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/report/report.h"
#include "stash/report/terminal.h"

namespace stash {

namespace {

using Renderer = std::string (*)(const Profile&, const Ledger&, const ReportOptions&);

constexpr std::array<std::string_view, 3> kFormats{"text", "json", "csv"};
constexpr std::array<Renderer, 3> kRenderers{render_text, render_json, render_csv};

Renderer renderer_of(std::string_view format) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i] == format) return kRenderers[i];
  }
  throw_unknown("--format", format, kFormats);
}

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Error("cannot write the report to standard output; is the disk full, or the reader gone?");
}

class ReportVerb final : public Verb {
 public:
  std::string name() const override { return "report"; }
  std::string description() const override { return "Say what a profile found: the verdict, the ledger, the warnings"; }

  void add_flags(CLI::App& app) override {
    app.add_option("file", file_, "A profile, from stash profile --out FILE")->required()->type_name("FILE");
    app.add_option("--format", format_, "text: a page to read; json: everything; csv: the ledger as a table")
        ->type_name("text|json|csv")
        ->capture_default_str();
    app.add_option("--usd-per-hour", usd_per_hour_, "Price of all machines of the job; adds what each part costs")
        ->type_name("USD");
    app.add_option("--out", out_, "Write to this file, whole or not at all, instead of standard output")
        ->type_name("FILE");
    app.footer(
        "Examples:\n"
        "  stash report r50.json\n"
        "  stash report r50.json --usd-per-hour 24.48\n"
        "  stash report r50.json --format csv --out r50.csv\n");
  }

  int run() override {
    const Renderer render = renderer_of(format_);
    if (usd_per_hour_ && !(std::isfinite(*usd_per_hour_) && *usd_per_hour_ > 0)) {
      throw UsageError("--usd-per-hour takes a price above 0, like 24.48");
    }
    const Profile profile = read_profile(file_);
    ReportOptions options = out_.empty() ? options_for_stdout() : ReportOptions{};
    options.usd_per_hour = usd_per_hour_;
    const std::string text = render(profile, attribute(profile), options);
    out_.empty() ? print(text) : write_file_atomically(out_, text);
    return 0;
  }

 private:
  std::string file_;
  std::string format_ = "text";
  std::optional<double> usd_per_hour_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_report_verb() { return std::make_unique<ReportVerb>(); }

}  // namespace stash
