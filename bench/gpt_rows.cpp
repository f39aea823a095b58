#include "gpt_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "stash/catalog/csv.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/plan/gpt_nodes.h"

namespace stash::bench {
namespace {

constexpr std::size_t kFileLimit = 16 << 20;
constexpr int kGpusPerNode = 8;
constexpr int kVocabulary = 51200;  // GPT-2's, padded as Megatron-LM does

class Columns {
 public:
  Columns(const CsvTable& table, const std::string& file) : table_(table), file_(file) {}
  double number(const CsvRow& row, std::string_view name) const {
    const auto found = std::ranges::find(table_.header, name);
    if (found == table_.header.end()) throw Error(fmt::format("{} has no column '{}'", file_, name));
    return std::stod(row.fields[static_cast<std::size_t>(found - table_.header.begin())]);
  }
  int whole(const CsvRow& row, std::string_view name) const { return static_cast<int>(number(row, name)); }

 private:
  const CsvTable& table_;
  const std::string& file_;
};

GptNodes nodes_of(int gpus, bool several_nodes) {
  WhatIf what_if;
  if (several_nodes) what_if.network_bytes_per_s = 4 * 200e9 / 8;
  const Instance& instance = find_instance(several_nodes ? "p4de.24xlarge" : "p4d.24xlarge");
  return gpt_nodes(instance, std::max(1, gpus / kGpusPerNode), std::min(gpus, kGpusPerNode), what_if);
}

}  // namespace

std::string GptRow::group() const { return fmt::format("hidden {} layers {}", job.size.hidden, job.size.layers); }

std::vector<GptRow> read_gpt_rows(const std::string& file, bool several_nodes) {
  const CsvTable table = parse_csv(read_file(file, kFileLimit), file);
  const Columns columns(table, file);
  std::vector<GptRow> rows;
  for (const CsvRow& line : table.rows) {
    GptRow& row = rows.emplace_back();
    row.job.size = {.name = "gpt",
                    .layers = columns.whole(line, "layers"),
                    .hidden = columns.whole(line, "hidden"),
                    .heads = columns.whole(line, "heads"),
                    .max_seq_len = columns.whole(line, "seq_len"),
                    .vocabulary = kVocabulary,
                    .fused_attention = false};
    row.job.global_batch = columns.whole(line, "global_batch");
    row.job.dtype = DType::fp16;
    row.job.kinds = {nodes_of(columns.whole(line, "gpus"), several_nodes)};
    row.plan.data = columns.whole(line, "data_parallel");
    row.plan.tensor = columns.whole(line, "tensor_parallel");
    row.plan.pipeline = columns.whole(line, "pipeline_parallel");
    row.plan.micro_batch = columns.whole(line, "micro_batch");
    row.plan.recompute = several_nodes ? Recompute::full : Recompute::none;
    row.step_s = columns.number(line, "step_ms") * 1e-3;
  }
  return rows;
}

}  // namespace stash::bench
