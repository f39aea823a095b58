#include "stash/report/prediction_json.h"

#include <nlohmann/json.hpp>

#include "stash/report/ledger_json.h"
#include "stash/report/prediction_extras.h"

namespace stash {

using Json = nlohmann::ordered_json;

namespace {

// One sentence, without a full stop: why the prediction does not have `part`.
const char* why_not_predicted(Part part, const Prediction& prediction) {
  switch (part) {
    case Part::contention:
      return "what ranks of a node share is not known of a machine that was not measured";
    case Part::interconnect:
      return prediction.gpus == 1 ? "one GPU does not communicate" : "each node uses one GPU";
    case Part::network:
      return "the job runs on one node";
    case Part::copy:
      return "the rate of copies to the GPU is not known, or they are in the step that was measured";
    case Part::fetch:
      return "what a sample costs, or the storage's rate, is not known";
    default:
      return "what a sample costs is not known";
  }
}

Json rates_json(const std::vector<ReachedRate>& rates) {
  Json rows = Json::array();
  for (const ReachedRate& rate : rates) {
    rows.push_back({{"what", rate.what},
                    {"bytes_per_s", rate.bytes_per_s},
                    {"low_bytes_per_s", rate.bytes_per_s / rate.uncertainty_ratio()},
                    {"high_bytes_per_s", rate.bytes_per_s * rate.uncertainty_ratio()},
                    {"evidence", to_string(rate.evidence)},
                    {"source", rate.source}});
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json prediction_json(const Prediction& prediction) {
  Json row{{"instance", prediction.instance},
           {"cloud", prediction.cloud},
           {"gpu", prediction.gpu},
           {"nodes", prediction.nodes},
           {"gpus", prediction.gpus},
           {"batch", prediction.batch},
           {"accumulation", prediction.accumulation},
           {"dtype", prediction.dtype},
           {"ledger", ledger_json(prediction.ledger, prediction.usd_per_h, nullptr)},
           {"usd_per_hour", json_number(prediction.usd_per_h)},
           {"spot_usd_per_hour", json_number(prediction.spot_usd_per_h)},
           {"epoch_s", json_number(prediction.epoch_s)},
           {"first_epoch_s", json_number(prediction.first_epoch_s)},
           {"epoch_usd", json_number(prediction.epoch_usd)},
           {"memory_bytes", json_number(prediction.memory_bytes)},
           {"rates", rates_json(prediction.rates)},
           {"assumptions", prediction.assumptions}};
  for (auto& [name, reason] : row["ledger"]["coverage"]["absent"].items()) {
    for (const Part part : kParts) {
      if (to_string(part) == name) reason = why_not_predicted(part, prediction);
    }
  }
  add_extras(row, prediction);
  return row;
}

nlohmann::ordered_json rejected_json(const std::vector<Rejected>& rejected) {
  Json rows = Json::array();
  for (const Rejected& row : rejected) {
    rows.push_back({{"instance", row.instance}, {"cloud", row.cloud}, {"nodes", row.nodes}, {"why", row.why}});
  }
  return rows;
}

}  // namespace stash
