#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/plan_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/report/gpt_plan_report.h"
#include "stash/report/html/plan_page.h"
#include "stash/report/layer_plan_report.h"
#include "stash/report/plan_export.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class PlanVerb final : public Verb {
 public:
  std::string name() const override { return "plan"; }
  std::string description() const override { return "Split a model across accelerators, equal or of several kinds"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    app.add_option("--export", export_,
                   "Write the best plan of a language model for torch (DTensor and FSDP2), torchtitan or Megatron-LM")
        ->type_name(plan_export_names());
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash plan --model resnet50 --batch 256 --on 4xV100+4xT4 --network 25Gbit/s\n"
        "  stash plan --model vgg16 --batch 512 --on 64xTPUv2+64xTPUv3\n"
        "  stash plan --model gpt:layers=48,hidden=8192,heads=64,seq=2048 --global-batch 1536 --on p4d.24xlarge "
        "--nodes 64\n"
        "  stash plan --model gpt:layers=24,hidden=2048,heads=16,seq=1024 --global-batch 64 --on p4d.24xlarge --export "
        "dtensor\n"
        "  stash plan --model alexnet --batch 512 --cost published --levels 7\n");
  }

  int run() override {
    format_.check();
    check_export();
    if (!out_.empty()) check_writable(out_);
    print_or_write(flags_.is_published() ? render(flags_.published()) : plan(), out_);
    return 0;
  }

 private:
  std::string plan() const {
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    if (flags_.is_language_model()) return render(flags_.language_model(catalogue.instances));
    return render(flags_.layers(catalogue.instances));
  }

  void check_export() const {
    if (export_.empty()) return;
    const PlanExport target = parse_plan_export(export_);
    if (format_.is_given()) throw UsageError("--export and --format contradict each other: give one of them");
    if (target != PlanExport::json && !flags_.is_language_model()) {
      throw UsageError(
          fmt::format("--export {} is for language models (--model gpt:…): other plans are exported as json", export_));
    }
  }

  bool is_json() const { return format_.get() == Format::json || export_ == to_string(PlanExport::json); }
  static std::string html(const LayerAnswer& answer) {
    if (answer.published) throw UsageError("--format html has no page for --cost published: give text or json");
    return render_layer_plan_html(answer);
  }

  ReportOptions options() const { return out_.empty() ? options_for_stdout() : ReportOptions{}; }

  std::string render(const LayerAnswer& answer) const {
    if (is_json()) return render_layer_plan_json(answer);
    if (format_.get() == Format::html) return html(answer);
    return render_layer_plan_text(answer, options());
  }

  std::string render(const GptAnswer& answer) const {
    if (is_json()) return render_gpt_plan_json(answer);
    if (format_.get() == Format::html) return render_gpt_plan_html(answer);
    if (!export_.empty()) return export_plan(answer, parse_plan_export(export_));
    return render_gpt_plan_text(answer, options());
  }

  PlanFlags flags_;
  FormatFlag format_{kSharingFormats, "text, json, or html: one file with the picture"};
  std::string out_, export_;
};

}  // namespace

std::unique_ptr<Verb> make_plan_verb() { return std::make_unique<PlanVerb>(); }

}  // namespace stash
