#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>

#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/plan_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/verb.h"
#include "stash/report/gpt_plan_report.h"
#include "stash/report/layer_plan_report.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

constexpr std::array kPlanFormats{Format::text, Format::json};

class PlanVerb final : public Verb {
 public:
  std::string name() const override { return "plan"; }
  std::string description() const override { return "Split a model across accelerators, equal or of several kinds"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash plan --model resnet50 --batch 256 --on 4xV100+4xT4 --network 25Gbit/s\n"
        "  stash plan --model vgg16 --batch 512 --on 64xTPUv2+64xTPUv3\n"
        "  stash plan --model gpt:layers=48,hidden=8192,heads=64,seq=2048 --global-batch 1536 --on p4d.24xlarge "
        "--nodes 64\n"
        "  stash plan --model alexnet --batch 512 --cost published --levels 7\n");
  }

  int run() override {
    format_.check();
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

  ReportOptions options() const { return out_.empty() ? options_for_stdout() : ReportOptions{}; }

  std::string render(const LayerAnswer& answer) const {
    if (format_.get() == Format::json) return render_layer_plan_json(answer);
    return render_layer_plan_text(answer, options());
  }

  std::string render(const GptAnswer& answer) const {
    if (format_.get() == Format::json) return render_gpt_plan_json(answer);
    return render_gpt_plan_text(answer, options());
  }

  PlanFlags flags_;
  FormatFlag format_{kPlanFormats, "text or json"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_plan_verb() { return std::make_unique<PlanVerb>(); }

}  // namespace stash
