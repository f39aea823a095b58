#include "stash/cli/flags/fleet_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/output.h"
#include "stash/cli/serve_bench_file.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/fleet/market/catalogue_market.h"
#include "stash/fleet/market/own_market.h"
#include "stash/fleet/market/published_market.h"
#include "stash/serve/model/served_model.h"

namespace stash {
namespace {

bool is_published(const std::string& market) {
  return std::ranges::find(kPublishedMarkets, market) != kPublishedMarkets.end();
}

}  // namespace

void FleetFlags::add_to(CLI::App& app) {
  app.add_option("--model", model_, "Model to serve: a built-in network (`stash models`), or sleep:TIME")
      ->type_name("MODEL");
  app.add_option("--dtype", dtype_, "Arithmetic of GPUs")->type_name("fp32|fp16|bf16")->capture_default_str();
  app.add_option("--objective", objective_, "Latency to meet, from the arrival of a request to its answer")
      ->type_name("TIME");
  app.add_option("--meet", meet_, "Share of all requests that must meet it")->type_name("RATIO")->capture_default_str();
  app.add_option("--market", market_,
                 "What can be rented: a file (docs/cli/fleet.md), or mark-inception, mark-nasnet, mark-nmt, the "
                 "setting of MArk's paper; default: the catalogue")
      ->type_name("FILE");
  app.add_option("--on", on_,
                 "Machines and functions of the catalogue, comma separated; default: the cheapest of each "
                 "kind")
      ->type_name("LIST");
}

void FleetFlags::use_for_missing(const std::string& model, double objective_s) {
  if (model_.empty()) model_ = model;
  if (objective_.empty()) objective_ = fmt::format("{:.0f}us", objective_s * 1e6);
}

FleetObjective FleetFlags::objective() const {
  if (objective_.empty()) throw UsageError("say which latency is promised: --objective 200ms");
  FleetObjective objective{.latency_s = parse_duration_s(objective_, "--objective"),
                           .meet_ratio = parse_ratio(meet_, "--meet")};
  if (!(objective.latency_s > 0)) throw UsageError("--objective must be above 0, like 200ms");
  if (!(objective.meet_ratio > 0 && objective.meet_ratio < 1)) {
    throw UsageError(fmt::format("--meet {} must be above 0 % and below 100 %, like 98%", meet_));
  }
  return objective;
}

std::string FleetFlags::market_name() const { return market_.empty() ? "the catalogue" : market_; }

std::string FleetFlags::model_spec() const {
  if (model_.empty()) throw UsageError("say which model is served: --model resnet50");
  parse_model_source(model_);
  return model_;
}

Market FleetFlags::market() const {
  if (is_published(market_)) return published_market(market_);
  if (!market_.empty()) {
    if (!std::filesystem::exists(market_)) {
      throw UsageError(fmt::format("--market {}: there is no such file; the published settings are {}", market_,
                                   fmt::join(kPublishedMarkets, ", ")));
    }
    if (is_serve_bench(market_)) {
      if (on_.empty()) {
        throw UsageError(
            fmt::format("{} was measured with `stash serve bench`: name the machine for its price, like "
                        "--on g4dn.xlarge",
                        market_));
      }
      const Catalogue catalogue = read_catalogue();
      return measured_market(market_, find_instance(catalogue.instances, on_));
    }
    if (!on_.empty()) throw UsageError("--market FILE says what can be rented; it takes no --on");
    return read_any_market(market_);
  }
  if (model_.empty()) throw UsageError("say which model is served: --model resnet50, or --market FILE");
  std::vector<std::string> warnings;
  const Catalogue catalogue = read_catalogue();
  Market market = catalogue_market({.model = model_, .dtype = parse_dtype(dtype_), .on = split_list(on_)},
                                   catalogue.instances, warnings);
  tell_warnings(catalogue.warnings);
  tell_warnings(warnings);
  return market;
}

}  // namespace stash
