#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>

#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/output.h"
#include "stash/cli/predict_flags.h"
#include "stash/cli/progress.h"
#include "stash/cli/verb.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/predict/predict.h"
#include "stash/predict/worth.h"
#include "stash/report/predictions.h"

namespace stash {
namespace {

class PredictVerb final : public Verb {
 public:
  std::string name() const override { return "predict"; }
  std::string description() const override { return "The ledger of a job on machines that are not here"; }

  void add_flags(CLI::App& app) override {
    flags_.add_to(app);
    app.add_option("--on", on_, "Machines of the catalogue; default: the one that the profile was made on")
        ->type_name("LIST");
    app.add_option("--nodes", nodes_, "How many of them")->type_name("LIST")->capture_default_str();
    app.add_option("--gpus", gpus_, "GPUs over all nodes; default: all that the machines have")->type_name("N");
    app.add_option("--format", format_, "text, json or csv")->type_name("text|json|csv")->capture_default_str();
    app.add_option("--out", out_, "Write to this file, whole or not at all, instead of standard output")
        ->type_name("FILE");
    app.footer(
        "Examples:\n"
        "  stash predict r50.json --on p3.16xlarge,p4d.24xlarge --nodes 1,2\n"
        "  stash predict --model vgg11 --batch 32 --on p3.8xlarge --nodes 2\n"
        "  stash predict --model resnet18 --batch 64 --measured g4dn.xlarge=0.190s --on p3.2xlarge\n"
        "  stash predict r50.json --set storage=2GB/s --set workers=8       what would that change here?\n");
  }

  int run() override {
    parse_predictions_format(format_);
    const Catalogue catalogue = read_catalogue();
    for (const std::string& warning : catalogue.warnings) StatusLine().say("stash: " + warning);
    const PredictJob job = flags_.resolve(catalogue.instances);
    const WhatIf what_if = flags_.what_if();
    PredictionsPage page{.job = job_line(job), .samples = job.samples};
    if (on_.empty()) {
      predict_here(page, job, what_if);
    } else {
      predict_on(page, job, what_if, catalogue.instances);
    }
    print(page);
    return page.predictions.predictions.empty() ? 1 : 0;
  }

 private:
  static std::string job_line(const PredictJob& job) {
    std::string line = fmt::format("{}, batch {} a GPU, {}", job.graph.name, job.batch, to_string(job.dtype));
    if (job.global_batch) line += fmt::format(", global batch {}", *job.global_batch);
    return line;
  }

  // With a change, the machine without it stands beside it.
  void predict_here(PredictionsPage& page, const PredictJob& job, const WhatIf& what_if) {
    if (gpus_) throw UsageError("--gpus needs --on: on the profile's own machine all its ranks are simulated");
    if (!what_if.empty()) page.before.push_back(Predictor(job).here());
    Predictor predictor(job, what_if);
    page.predictions.predictions.push_back(predictor.here());
    add_worth(page, predictor.setting_here(), predictor.job());
  }

  void predict_on(PredictionsPage& page, const PredictJob& job, const WhatIf& what_if,
                  std::span<const Instance> instances) {
    Predictor before(job), after(job, what_if);
    for (const std::string& name : split_list(on_)) {
      const Instance& instance = find_instance(instances, name);
      for (const int nodes : parse_counts(nodes_, "--nodes")) {
        auto result = after.on(instance, nodes, gpus_);
        if (auto* rejected = std::get_if<Rejected>(&result)) {
          page.predictions.rejected.push_back(std::move(*rejected));
          continue;
        }
        page.predictions.predictions.push_back(std::move(std::get<Prediction>(result)));
        if (!what_if.empty()) page.before.push_back(std::get<Prediction>(before.on(instance, nodes, gpus_)));
        add_worth(page, std::get<Setting>(after.setting_on(instance, nodes, gpus_)), after.job());
      }
    }
  }

  static void add_worth(PredictionsPage& page, const Setting& setting, const PredictJob& job) {
    page.worth.push_back(worth_of_more(setting, job));
    page.needs.push_back(input_needs(setting, job));
  }

  void print(const PredictionsPage& page) const {
    const std::string text = render_predictions(page, parse_predictions_format(format_), out_.empty());
    if (out_.empty()) {
      print_text(text);
    } else {
      write_file_atomically(out_, text);
    }
  }

  PredictFlags flags_;
  std::string on_;
  std::string nodes_ = "1";
  std::optional<int> gpus_;
  std::string format_ = "text";
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_predict_verb() { return std::make_unique<PredictVerb>(); }

}  // namespace stash
