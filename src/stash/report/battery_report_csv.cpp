#include <fmt/format.h>

#include "stash/report/battery_report.h"
#include "stash/report/prediction_csv.h"

namespace stash {

namespace {

std::string part_cells(const CaseResult& result) {
  std::string cells;
  for (const Part part : kParts) {
    const auto time = result.ledger ? (*result.ledger)[part] : std::nullopt;
    const bool has_share = time && result.ledger->step.s > 0;
    cells += fmt::format(",{},{}", time ? csv_number(time->s) : "",
                         has_share ? csv_number(time->s / result.ledger->step.s) : "");
  }
  return cells;
}

std::string row(const CaseResult& result) {
  const Job& job = result.of.job;
  const auto& ledger = result.ledger;
  std::string text =
      fmt::format("{},{},{},{},{},{},{},{},{}", csv_text(result.of.name), to_string(result.state), csv_text(job.model),
                  job.batch, job.ranks, result.of.nodes, csv_text(job.device.text()), job.dtype,
                  ledger ? fmt::format("{},{},{}", ledger->step.s, ledger->step.low_s, ledger->step.high_s) : ",,");
  text += part_cells(result);
  const Published published = ledger ? ledger->published : Published{};
  for (const auto& value :
       {published.interconnect_ratio, published.network_ratio, published.prep_ratio, published.fetch_ratio,
        result.samples_per_s, result.epoch_samples, result.first_epoch_s, result.epoch_s, result.epoch_low_s,
        result.epoch_high_s, result.epoch_usd, result.elapsed_s}) {
    text += ',' + csv_number(value);
  }
  return text + ',' + csv_text(result.why) + '\n';
}

}  // namespace

std::string render_battery_csv(const BatterySummary& summary) {
  std::string csv = "case,state,model,batch,ranks,nodes,device,dtype,step_s,step_low_s,step_high_s";
  for (const Part part : kParts) csv += fmt::format(",{0}_s,{0}_ratio", to_string(part));
  csv +=
      ",study_interconnect_ratio,study_network_ratio,study_prep_ratio,study_fetch_ratio,samples_per_s,"
      "epoch_samples,first_epoch_s,epoch_s,epoch_low_s,epoch_high_s,epoch_usd,elapsed_s,why\n";
  for (const CaseResult& result : summary.cases) csv += row(result);
  return csv;
}

}  // namespace stash
