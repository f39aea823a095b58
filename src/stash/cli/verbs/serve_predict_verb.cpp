#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/exit_codes.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/serve_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/serve_verbs.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/report/serve_prediction_report.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

// What a batch takes beside T(b) in this server: noticing its end, sending the answers. Measured with serve bench.
constexpr double kBeside_s = 1e-4;
constexpr std::array kPredictionFormats{Format::text, Format::json};

class ServePredictVerb final : public Verb {
 public:
  std::string name() const override { return "predict"; }
  std::string description() const override { return "Predict latencies of a server on GPUs that you do not have"; }

  void add_flags(CLI::App& app) override {
    flags_.add_model_to(app);
    app.add_option("--on", on_, "Machines of the catalogue, comma separated: g4dn.xlarge,p3.2xlarge")
        ->type_name("LIST");
    app.add_option("--rate", rate_per_s_, "Requests per second, as independent users send them")->type_name("N");
    app.add_option("--for", duration_, "How much time to simulate")->type_name("TIME")->capture_default_str();
    app.add_option("--seed", seed_, "Seed of the arrivals")->type_name("N")->capture_default_str();
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash serve predict --model resnet50 --on g4dn.xlarge --rate 300 --objective 100ms\n"
        "  stash serve predict --model bert_base --dtype fp16 --on g5.xlarge,p4d.24xlarge --rate 500\n"
        "The server's own scheduler runs in simulated time, with the GPU's time per batch size.\n");
  }

  int run() override {
    const Format format = format_.get();
    if (on_.empty()) throw UsageError("say on which machine: --on g4dn.xlarge");
    if (!rate_per_s_ || !(*rate_per_s_ > 0)) throw UsageError("--rate takes a number above 0, like 300");
    const ServeSettings settings = flags_.settings();
    const ServingLoad load{.rate_per_s = *rate_per_s_,
                           .duration_s = parse_duration_s(duration_, "--for"),
                           .seed = seed_,
                           .beside_s = kBeside_s};
    if (const ModelSource source = flags_.only_source(); source.is_file()) {
      throw UsageError(
          fmt::format("the time of {} on other GPUs is not known: this predicts built-in networks, and "
                      "what takes known times: --model sleep:10ms, --batch-times 1=7ms,8=11ms",
                      source.spec));
    }
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    ServePrediction prediction{
        .model = flags_.only_source().name, .rate_per_s = load.rate_per_s, .objective_s = settings.objective_s};
    for (const std::string& name : split_list(on_)) {
      prediction.rows.push_back(row_of(find_instance(catalogue.instances, name), settings, load));
    }
    print_or_write(format == Format::json ? serve_prediction_json(prediction)
                                          : serve_prediction_text(prediction, options_for_stdout()),
                   out_);
    const bool is_any = std::ranges::any_of(prediction.rows, [](const auto& row) { return row.served.has_value(); });
    return is_any ? 0 : kExitFault;
  }

 private:
  ServePredictionRow row_of(const Instance& instance, const ServeSettings& settings, const ServingLoad& load) const {
    ServePredictionRow row{.machine = instance.name, .gpu = instance.gpu};
    const Gpu* const gpu = known_gpu(instance);
    if (gpu == nullptr) {
      row.why_not = instance.gpu.empty() ? "it has no GPU" : "the rates of its GPU are not known";
      return row;
    }
    const ServedModel model = flags_.model_on(*gpu, flags_.only_source());
    row.batches = model.times.rows();
    if (settings.objective_s && model.times.at(1) > *settings.objective_s) {
      row.why_not = fmt::format("the objective of {} cannot be met: a batch of one takes {}",
                                format_duration(*settings.objective_s), duration_at_least(model.times.at(1)));
      return row;
    }
    row.served = simulate_serving(model, settings, load);
    if (instance.usd_per_h && instance.gpus > 0 && row.served->throughput_per_s > 0) {
      row.usd_per_million =
          *instance.usd_per_h / instance.gpus / (row.served->throughput_per_s * kSecondsPerHour) * 1e6;
    }
    return row;
  }

  ServeFlags flags_;
  std::string on_;
  std::optional<double> rate_per_s_;
  std::string duration_ = "60s";
  std::uint64_t seed_ = 1;
  FormatFlag format_{kPredictionFormats, "text or json"};
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_serve_predict_verb() { return std::make_unique<ServePredictVerb>(); }

}  // namespace stash
