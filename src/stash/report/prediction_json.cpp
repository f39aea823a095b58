#include "stash/report/prediction_json.h"

#include <nlohmann/json.hpp>

#include "stash/report/ledger_json.h"

namespace stash {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json prediction_json(const Prediction& prediction) {
  return {{"instance", prediction.instance},
          {"cloud", prediction.cloud},
          {"gpu", prediction.gpu},
          {"nodes", prediction.nodes},
          {"gpus", prediction.gpus},
          {"batch", prediction.batch},
          {"accumulation", prediction.accumulation},
          {"ledger", ledger_json(prediction.ledger, prediction.usd_per_h, nullptr)},
          {"usd_per_hour", json_number(prediction.usd_per_h)},
          {"spot_usd_per_hour", json_number(prediction.spot_usd_per_h)},
          {"epoch_s", json_number(prediction.epoch_s)},
          {"first_epoch_s", json_number(prediction.first_epoch_s)},
          {"epoch_usd", json_number(prediction.epoch_usd)},
          {"memory_bytes", json_number(prediction.memory_bytes)},
          {"assumptions", prediction.assumptions}};
}

nlohmann::ordered_json rejected_json(const std::vector<Rejected>& rejected) {
  Json rows = Json::array();
  for (const Rejected& row : rejected) {
    rows.push_back({{"instance", row.instance}, {"cloud", row.cloud}, {"nodes", row.nodes}, {"why", row.why}});
  }
  return rows;
}

}  // namespace stash
