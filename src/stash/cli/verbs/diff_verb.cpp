#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>

#include "stash/attribute/attribute.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/serve_bench_file.h"
#include "stash/cli/serve_bench_files.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/report/difference_report.h"
#include "stash/report/html/difference_page.h"
#include "stash/report/printable.h"
#include "stash/report/terminal.h"

namespace stash {

namespace {

// So that a long name leaves room for the other reasons.
std::string cut(const std::string& name) { return printable(name, true, 60); }

Profile read_compared(const std::string& path) {
  Profile profile = read_profile(path);
  try {
    attribute(profile);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  return profile;
}

class DiffVerb final : public Verb {
 public:
  explicit DiffVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "diff"; }
  std::string description() const override { return "Compare two profiles of a job; fail CI on a regression"; }

  void add_flags(CLI::App& app) override {
    app.add_option("before", before_, "A profile, from stash profile --out FILE; or a file of stash serve bench")
        ->required()
        ->type_name("FILE");
    app.add_option("after", after_, "A later one of the same job or server")->required()->type_name("FILE");
    app.add_option("--fail-over", limit_,
                   "Exit with 1 if the step or a part became slower by this share of the step, like 3%")
        ->type_name("SHARE");
    app.add_flag("--force", force_, "Compare jobs that differ in model, batch, ranks, device, …");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash diff before.json after.json\n"
        "  stash diff main.json branch.json --fail-over 3% --format markdown --out comment.md\n");
  }

  int run() override {
    format_.check();
    const auto limit_ratio = limit_ ? std::optional(parse_ratio(*limit_, "--fail-over")) : std::nullopt;
    if (is_serve_bench(before_) && is_serve_bench(after_)) {
      return rest_.compare_serve_benches(
          {.before = before_, .after = after_, .limit_ratio = limit_ratio, .even_if_different = force_}, format_.get(),
          out_);
    }
    const Profile before = read_compared(before_), after = read_compared(after_);
    const Difference difference = compare(before, after);
    if (!force_) refuse_other_jobs(difference);
    const DifferencePage page{before, after, difference, limit_ratio};
    print_or_write(render(page), out_);
    return limit_ratio && !increases_over(difference, *limit_ratio).empty() ? kExitOverLimit : 0;
  }

 private:
  static void refuse_other_jobs(const Difference& difference) {
    if (difference.jobs.empty()) return;
    std::string list;
    for (const Mismatch& one : difference.jobs) {
      list += fmt::format("{}{} ({}, then {})", list.empty() ? "" : ", ", one.what, cut(one.before), cut(one.after));
    }
    throw UsageError(
        fmt::format("these are not two profiles of one job: they differ in {}; --force compares them", list));
  }

  std::string render(const DifferencePage& page) const {
    const ReportOptions options = out_.empty() ? options_for_stdout() : ReportOptions{};
    switch (format_.get()) {
      case Format::html:
        return render_difference_html(page, before_, after_);
      case Format::json:
        return render_difference_json(page, options);
      case Format::csv:
        return render_difference_csv(page, options);
      case Format::markdown:
        return render_difference_markdown(page, options);
      default:
        return render_difference_text(page, options);
    }
  }

  RestOfProgram rest_;
  std::string before_, after_;
  std::optional<std::string> limit_;
  bool force_ = false;
  FormatFlag format_{kDifferenceFormats, "text: a page to read; markdown: for a pull request; html: one file"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_diff_verb(const RestOfProgram& rest) { return std::make_unique<DiffVerb>(rest); }

}  // namespace stash
