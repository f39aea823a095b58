#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/advise/advise.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/advise_flags.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/make_report.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/predict/predict.h"
#include "stash/report/advice_report.h"
#include "stash/report/html/page.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class AdviseVerb final : public Verb {
 public:
  std::string name() const override { return "advise"; }
  std::string description() const override { return "Choose a machine to rent for a job, by deadline or budget"; }

  void add_flags(CLI::App& app) override {
    job_.add_job_to(app);
    question_.add_to(app);
    app.add_option("--on", on_, "Only these machines; default: all of the catalogue that are for rent")
        ->type_name("LIST");
    app.add_option("--cloud", clouds_, "Only machines of these clouds")->type_name("LIST");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash advise r50.json --epochs 90 --samples 1281167 --deadline 24h\n"
        "  stash advise --model resnet50 --batch 64 --epochs 90 --samples 1281167 --budget 500\n"
        "  stash advise r50.json --epochs 90 --deadline 24h --sure 99%\n"
        "  stash advise r50.json --epochs 90 --spot --interruptions-per-hour 0.1 --restart 10m\n");
  }

  int run() override {
    format_.check();
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    PredictJob job = job_.resolve(catalogue.instances);
    tell_unknown_batch(job);
    const AdviceQuestion question = question_.resolve(job.samples);
    job.samples = question.samples;
    Predictor predictor(std::move(job), job_.what_if());
    const std::vector<Instance> instances = chosen(catalogue.instances);
    const Advice advice = advise(question, predict_all(predictor, instances, question_.max_nodes()));
    print_or_write(render(question, advice, catalogue.instances), out_);
    return advice.best ? 0 : 1;
  }

 private:
  static void tell_unknown_batch(const PredictJob& job) {
    if (!job.profile || !job.profile->profile.work || job.profile->profile.work->batch > 0) return;
    const std::vector<std::string> warnings{
        "how many samples a step of the script has is not known: it counts as one per rank, and times and costs are "
        "those "
        "of too many steps; profile it with --input FUNCTION, or mark batches with stash.wrap(iterator)"};
    tell_warnings(warnings);
  }

  std::vector<Instance> chosen(const std::vector<Instance>& all) const {
    // People's own machines have no price to rank them by. Who names them, or their cloud, asks for their time.
    const auto is_asked_for = [&](const Instance& instance) { return !clouds_.empty() || is_for_rent(instance); };
    std::vector<Instance> some;
    for (const std::string& name : split_list(on_)) some.push_back(find_instance(all, name));
    if (on_.empty()) std::ranges::copy_if(all, std::back_inserter(some), is_asked_for);
    std::vector<std::string> clouds = split_list(clouds_);
    std::ranges::transform(clouds, clouds.begin(), cloud_name);
    if (clouds.empty()) return some;
    std::erase_if(some, [&](const Instance& instance) {
      return std::ranges::find(clouds, lower_case(instance.cloud)) == clouds.end();
    });
    if (some.empty()) throw_no_cloud(all);
    return some;
  }

  [[noreturn]] void throw_no_cloud(const std::vector<Instance>& all) const {
    std::vector<std::string_view> known;
    for (const Instance& instance : all) {
      if (std::ranges::find(known, instance.cloud) == known.end()) known.push_back(instance.cloud);
    }
    if (on_.empty()) throw_unknown("--cloud", clouds_, known);
    throw UsageError(fmt::format("--on {} has no machine of --cloud {}", on_, clouds_));
  }

  std::string render(const AdviceQuestion& question, const Advice& advice, std::span<const Instance> instances) const {
    switch (format_.get()) {
      case Format::html:
        return render_advice_html(question, advice, report_of_file(job_.profile, instances));
      case Format::json:
        return render_advice_json(question, advice);
      case Format::csv:
        return render_advice_csv(advice);
      default:
        return render_advice_text(question, advice, out_.empty() ? options_for_stdout() : ReportOptions{},
                                  question_.top());
    }
  }

  PredictFlags job_;
  AdviseFlags question_;
  std::string on_;
  std::string clouds_;
  FormatFlag format_ = page_format();
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_advise_verb() { return std::make_unique<AdviseVerb>(); }

}  // namespace stash
