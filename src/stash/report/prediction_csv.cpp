#include "stash/report/prediction_csv.h"

#include <fmt/format.h>

#include <cmath>

namespace stash {

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string prediction_csv_header() {
  std::string header = "instance,cloud,gpu,nodes,gpus,batch,accumulation,step_s,step_low_s,step_high_s";
  for (const Part part : kParts) header += fmt::format(",{}_s", to_string(part));
  return header + ",usd_per_hour,spot_usd_per_hour,epoch_s,first_epoch_s,epoch_usd";
}

std::string prediction_csv_row(const Prediction& prediction) {
  const Ledger& ledger = prediction.ledger;
  std::string row = fmt::format("{},{},{},{},{},{},{},{},{},{}", csv_text(prediction.instance),
                                csv_text(prediction.cloud), csv_text(prediction.gpu), prediction.nodes, prediction.gpus,
                                prediction.batch, prediction.accumulation, csv_number(ledger.step.s),
                                csv_number(ledger.step.low_s), csv_number(ledger.step.high_s));
  for (const Part part : kParts) row += fmt::format(",{}", ledger[part] ? csv_number(ledger[part]->s) : "");
  for (const auto& value : {prediction.usd_per_h, prediction.spot_usd_per_h, prediction.epoch_s,
                            prediction.first_epoch_s, prediction.epoch_usd}) {
    row += fmt::format(",{}", csv_number(value));
  }
  return row;
}

}  // namespace stash
