#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/verb.h"
#include "stash/report/terminal.h"
#include "stash/report/trace_import.h"

namespace stash {
namespace {

class ImportVerb final : public Verb {
 public:
  std::string name() const override { return "import"; }
  std::string description() const override { return "Get part of the ledger from PyTorch profiler traces"; }

  void add_flags(CLI::App& app) override {
    app.add_option("traces", traces_, "Traces of torch.profiler, JSON or gzip, one per rank, or a folder of them")
        ->required()
        ->type_name("TRACE");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash import trace.json\n"
        "  stash import rank0.json.gz rank1.json.gz --format csv --out steps.csv\n"
        "  stash import log/\n");
  }

  int run() override {
    const Format format = format_.get();
    if (!out_.empty()) check_writable(out_);
    const TraceReport report = import_traces(traces_);
    print_or_write(render_import(report, format, out_.empty() ? options_for_stdout() : ReportOptions{}), out_);
    return 0;
  }

 private:
  std::vector<std::filesystem::path> traces_;
  FormatFlag format_{kListFormats, "text: a page to read; json: everything; csv: a row for each step"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_import_verb() { return std::make_unique<ImportVerb>(); }

}  // namespace stash
