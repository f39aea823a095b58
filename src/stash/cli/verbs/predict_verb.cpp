#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <variant>

#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/flags/split_flags.h"
#include "stash/cli/make_report.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/predict/predict.h"
#include "stash/predict/saving.h"
#include "stash/predict/worth.h"
#include "stash/report/html/page.h"
#include "stash/report/predictions.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class PredictVerb final : public Verb {
 public:
  explicit PredictVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "predict"; }
  std::string description() const override { return "Predict the ledger on other machines, or after a change"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    app.add_option("--on", on_, "Machines of the catalogue; default: the one the profile was made on")
        ->type_name("LIST");
    app.add_option("--nodes", nodes_, "Numbers of machines")->type_name("LIST")->capture_default_str();
    app.add_option("--gpus", gpus_, "Number of GPUs over all nodes; default: all")->type_name("N");
    split_.add_to(app);
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash predict r50.json --on p3.16xlarge,p4d.24xlarge --nodes 1,2\n"
        "  stash predict --model vgg11 --batch 32 --on p3.8xlarge --nodes 2\n"
        "  stash predict --model resnet18 --batch 64 --measured g4dn.xlarge=0.190s --on p3.2xlarge\n"
        "  stash predict --model vgg11 --measured p3.16xlarge:8=0.3s --on p3.8xlarge\n"
        "  stash predict --model gpt:layers=48,hidden=8192,heads=64,seq=2048 --tensor 8 --pipeline 4 --data 16 "
        "--global-batch 1536 --recompute selective --on p4d.24xlarge --nodes 64\n"
        "  stash predict r50.json --set batch=128 --set dtype=bf16         and with another job?\n"
        "  stash predict r50.json --set storage=2GB/s --set workers=8       what would that change here?\n");
  }

  int run() override {
    format_.check();
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    if (split_.any()) {
      const Predictions found = rest_.predict_splits(flags_, split_, on_, nodes_, gpus_, catalogue.instances);
      print_or_write(render(found, catalogue.instances), out_);
      return found.predictions.empty() ? 1 : 0;
    }
    const PredictJob job = flags_.resolve(catalogue.instances);
    const WhatIf what_if = flags_.what_if();
    if (gpus_ && *gpus_ < 1) throw UsageError(fmt::format("--gpus {}: takes a whole number from 1", *gpus_));
    if (gpus_ && what_if.ranks) {
      throw UsageError("--gpus and --set ranks (or placement) contradict each other: give one of them");
    }
    const Predictions found = on_.empty() ? predict_here(job, what_if) : predict_on(job, what_if, catalogue.instances);
    print_or_write(render(found, catalogue.instances), out_);
    return found.predictions.empty() ? 1 : 0;
  }

 private:
  std::string render(const Predictions& found, std::span<const Instance> instances) const {
    switch (format_.get()) {
      case Format::html:
        return render_predictions_html(found, report_of_file(flags_.profile, instances));
      case Format::json:
        return render_predictions_json(found);
      case Format::csv:
        return render_predictions_csv(found);
      default:
        return render_predictions_text(found, out_.empty() ? options_for_stdout() : ReportOptions{});
    }
  }

  Predictions predict_here(const PredictJob& job, const WhatIf& what_if) const {
    if (gpus_) throw UsageError("--gpus needs --on: on the profile's own machine all its ranks are simulated");
    Predictor predictor(job, what_if);
    Prediction prediction = predictor.here();
    if (!what_if.empty()) tell_change(prediction, Predictor(job).here());
    tell_worth(prediction, predictor.setting_here(), predictor.job());
    return {.predictions = {std::move(prediction)}, .rejected = {}};
  }

  Predictions predict_on(const PredictJob& job, const WhatIf& what_if, std::span<const Instance> instances) const {
    Predictions found;
    Predictor before(job), after(job, what_if);
    for (const std::string& name : split_list(on_)) {
      const Instance& instance = find_instance(instances, name);
      for (const int nodes : parse_counts(nodes_, "--nodes")) {
        auto result = after.on(instance, nodes, gpus_);
        if (auto* rejected = std::get_if<Rejected>(&result)) {
          found.rejected.push_back(std::move(*rejected));
          continue;
        }
        Prediction& prediction = found.predictions.emplace_back(std::move(std::get<Prediction>(result)));
        auto unchanged = before.on(instance, nodes, gpus_);
        if (!what_if.empty()) tell_change(prediction, unchanged);
        tell_worth(prediction, std::get<Setting>(after.setting_on(instance, nodes, gpus_)), after.job());
      }
    }
    return found;
  }

  void tell_change(Prediction& prediction, const std::variant<Prediction, Rejected>& before) const {
    prediction.changes = fmt::format("{}", fmt::join(flags_.changes, ", "));
    if (const auto* rejected = std::get_if<Rejected>(&before)) {
      prediction.why_not_before = rejected->why;
    } else {
      prediction.saving = saving_of(std::get<Prediction>(before), prediction);
    }
  }

  static void tell_worth(Prediction& prediction, const Setting& setting, const PredictJob& job) {
    prediction.worth = worth_of_more(setting, job);
    prediction.needs = input_needs(setting, job);
  }

  RestOfProgram rest_;
  PredictFlags flags_;
  SplitFlags split_;
  std::string on_;
  std::string nodes_ = "1";
  std::optional<int> gpus_;
  FormatFlag format_ = page_format();
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_predict_verb(const RestOfProgram& rest) { return std::make_unique<PredictVerb>(rest); }

}  // namespace stash
