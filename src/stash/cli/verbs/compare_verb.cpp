#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "stash/battery/battery_folder.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/predict_flags.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/report/comparison.h"
#include "stash/report/html/battery_page.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

constexpr int kMostEpochs = 100'000;

class CompareVerb final : public Verb {
 public:
  std::string name() const override { return "compare"; }
  std::string description() const override { return "Compare benchmarked machines, and what training costs on them"; }

  void add_flags(CLI::App& app) override {
    app.add_option("folders", folders_, "Folders written by stash characterize")->required()->type_name("DIR");
    app.add_option("--epochs", epochs_, "Add the time and cost of training each model for this many epochs")
        ->type_name("N");
    app.add_option("--on", on_, "With --epochs: machines of the catalogue, or all")
        ->type_name("LIST")
        ->capture_default_str();
    app.add_option("--usd-per-hour", prices_,
                   "Prices of the machines, in the order of the folders; default: those given to characterize")
        ->type_name("LIST");
    format_.add_to(app);
    add_out(app, out_);
    app.footer(
        "Examples:\n"
        "  stash compare vm1 vm2 vm3                            fastest, cheapest, what does not pay\n"
        "  stash compare vm1 vm2 --usd-per-hour 3.60,12.24      with prices that stash characterize did not have\n"
        "  stash compare this-vm --epochs 90                    the same training on every catalogue machine\n"
        "  stash compare this-vm --epochs 90 --on p3.8xlarge,p4d.24xlarge --format csv\n");
  }

  int run() override {
    format_.check();
    if (epochs_ && (*epochs_ < 1 || *epochs_ > kMostEpochs)) {
      throw UsageError(fmt::format("--epochs {} is out of range: it takes 1 to {}", *epochs_, kMostEpochs));
    }
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    std::vector<BatterySummary> machines;
    const auto prices = prices_usd_per_h();
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      machines.push_back(summarize(BatteryFolder(folders_[i]), prices[i]));
    }
    const CostTable costs = epochs_ ? cost_table(machines, catalogue.instances) : CostTable{};
    const Comparison comparison = compare(std::move(machines), catalogue.instances);
    print_or_write(render(comparison, costs), out_);
    return comparison.models.empty() ? 1 : 0;
  }

 private:
  std::vector<std::optional<double>> prices_usd_per_h() const {
    std::vector<std::optional<double>> prices;
    for (const std::string& price : split_list(prices_)) prices.emplace_back(parse_usd(price, "--usd-per-hour"));
    if (prices_.empty()) prices.assign(folders_.size(), std::nullopt);
    if (prices.size() == folders_.size()) return prices;
    throw UsageError(fmt::format("--usd-per-hour {} has {} prices for {} folders: it takes one for each", prices_,
                                 prices.size(), folders_.size()));
  }

  CostTable cost_table(const std::vector<BatterySummary>& machines, const std::vector<Instance>& instances) const {
    std::vector<Instance> chosen;
    if (on_ == "all") chosen = instances;
    for (const std::string& name : on_ == "all" ? std::vector<std::string>{} : split_list(on_)) {
      chosen.push_back(find_instance(instances, name));
    }
    CostTable table{.epochs = *epochs_, .rows = {}};
    for (std::size_t i = 0; i < machines.size(); ++i) {
      for (TrainingCost& cost : training_costs(machines[i], BatteryFolder(folders_[i]), *epochs_, chosen)) {
        table.rows.push_back(std::move(cost));
      }
    }
    return table;
  }

  std::string render(const Comparison& comparison, const CostTable& costs) const {
    switch (format_.get()) {
      case Format::html:
        return render_comparison_html(comparison, costs);
      case Format::json:
        return render_comparison_json(comparison, costs);
      case Format::csv:
        return render_comparison_csv(comparison, costs);
      default:
        return render_comparison_text(comparison, costs, out_.empty() ? options_for_stdout() : ReportOptions{});
    }
  }

  std::vector<std::string> folders_;
  std::optional<int> epochs_;
  std::string prices_;
  std::string on_ = "all";
  FormatFlag format_ = page_format();
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_compare_verb() { return std::make_unique<CompareVerb>(); }

}  // namespace stash
