#include <CLI/CLI.hpp>
#include <string>

#include "stash/battery/is_battery.h"
#include "stash/cli/output.h"
#include "stash/cli/serve_bench_file.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/profile_json.h"
#include "stash/report/report.h"
#include "stash/report/terminal.h"

namespace stash {

namespace {

class ReportVerb final : public Verb {
 public:
  explicit ReportVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "report"; }
  std::string description() const override { return "Read a profile: the verdict, the ledger, the warnings"; }

  void add_flags(CLI::App& app) override {
    app.add_option(
           "file", file_,
           "A profile, from stash profile --out FILE; a folder of stash characterize; or a file of stash serve bench")
        ->required()
        ->type_name("FILE");
    output_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash report r50.json\n"
        "  stash report r50.json --usd-per-hour 24.48\n"
        "  stash report this-vm                        a folder of stash characterize\n"
        "  stash report r50.json --format csv --out r50.csv\n"
        "  stash report r50.json --format trace --out r50.trace.json\n");
  }

  int run() override {
    output_.check();
    if (is_battery(file_)) return report_with(rest_.render_battery_folder);
    if (is_serve_bench(file_)) return report_with(rest_.render_serve_bench_file);
    print_or_write(output_.render(read_profile(file_), out_.empty()), out_);
    return 0;
  }

 private:
  template <typename Render>
  int report_with(Render render) const {
    const ReportOptions options = out_.empty() ? options_for_stdout() : ReportOptions{};
    print_or_write(render(file_, output_.format(), output_.usd_per_hour(), options), out_);
    return 0;
  }

  RestOfProgram rest_;
  std::string file_;
  ReportOutput output_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_report_verb(const RestOfProgram& rest) { return std::make_unique<ReportVerb>(rest); }

}  // namespace stash
