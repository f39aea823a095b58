#include "scaling_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>

#include "stash/catalog/csv.h"
#include "stash/catalog/instances.h"
#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/models/models.h"

namespace stash::bench {
namespace {

constexpr std::size_t kFileLimit = 16 << 20;
constexpr double kSuperlinear = 1.08;   // beyond this the one GPU was not of the same server
constexpr int kGlobalBatch = 2048;      // more is the batch of all GPUs, not of one
constexpr int kPhaseOneTokens = 128;    // BERT's first phase
constexpr int kFineTuningTokens = 384;  // SQuAD
constexpr std::int64_t kHorovodBytes = 64 << 20;
constexpr double kOneNvlink = 0.8 * 20e9;  // that copies reach of a P100's
constexpr double kOneEdrCard = 12.5e9;     // bytes/s
constexpr int kBatchWhereUnpublished = 128;

using Fields = std::map<std::string, std::string>;

struct ModelName {
  std::string_view published, model;
};
constexpr std::array kModels{
    ModelName{"ResNet-50 v1.5", "resnet50"},
    ModelName{"ResNet-50", "resnet50"},
    ModelName{"ResNet-50 (ImageNet)", "resnet50"},
    ModelName{"ResNet-101", "resnet101"},
    ModelName{"ResNet-152", "resnet152"},
    ModelName{"ResNet-18 (CIFAR-10)", "resnet18"},
    ModelName{"VGG16", "vgg16"},
    ModelName{"AlexNet", "alexnet"},
    ModelName{"InceptionV3", "inception_v3"},
    ModelName{"ResNeXt-101-32x4d", "resnext101_32x4d"},
    ModelName{"efficientnet-b0", "efficientnet_b0"},
    ModelName{"EfficientNet-B0", "efficientnet_b0"},
    ModelName{"efficientnet-b4", "efficientnet_b4"},
    ModelName{"EfficientNet-B4", "efficientnet_b4"},
    ModelName{"BERT-base pretrain", "bert_base"},
    ModelName{"BERT-base SQuAD", "bert_base"},
    ModelName{"BERT-base SQuAD fine-tuning", "bert_base"},
    ModelName{"BioBERT (BERT-base)", "bert_base"},
    ModelName{"BERT-large", "bert_large"},
    ModelName{"BERT-large SQuAD", "bert_large"},
};

struct MachineName {
  std::string_view published, gpu, instance;  // an empty GPU: any
};
constexpr std::array kMachines{
    MachineName{"AWS p2.8xlarge", "", "p2.8xlarge"},
    MachineName{"AWS p3.16xlarge", "", "p3.16xlarge"},
    MachineName{"AWS g4dn.12xlarge", "", "g4dn.12xlarge"},
    MachineName{"GCE n1-standard-32-k80x8", "", "n1-standard-32-k80x8"},
    MachineName{"NVIDIA DGX-1 (P100)", "", "dgx1-p100"},
    MachineName{"NVIDIA DGX-1", "V100 16GB", "dgx1-v100"},
    MachineName{"NVIDIA DGX-1", "V100 32GB", "dgx1-v100-32"},
    MachineName{"NVIDIA DGX-2", "", "dgx2-v100"},
    MachineName{"NVIDIA DGX-2H", "", "dgx2h-v100"},
    MachineName{"NVIDIA DGX A100", "A100 40GB", "dgxa100-40"},
    MachineName{"NVIDIA DGX A100", "A100 80GB", "dgxa100-80"},
    MachineName{"8x V100-SXM2-16GB server, hybrid cube mesh (NV1/NV2), Xeon Gold 5118", "", "dgx1-v100"},
    MachineName{"DGX-1-like, 8x V100 hybrid cube mesh, 4x mlx5", "", "dgx1-v100"},
    MachineName{"Lambda Cloud", "V100 16GB", "dgx1-v100"},
    MachineName{"Lambda Cloud", "H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda Cloud", "RTX A6000", "8x-a6000"},
    MachineName{"Lambda workstation/server", "V100 32GB", "dgx1-v100-32"},
    MachineName{"Lambda workstation/server", "A100 40GB PCIe", "8x-a100-pcie-40"},
    MachineName{"Lambda workstation/server", "A100 80GB PCIe", "8x-a100-pcie-80"},
    MachineName{"Lambda workstation/server", "A100 80GB SXM4", "dgxa100-80"},
    MachineName{"Lambda workstation/server", "H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda workstation/server", "Dell 8x H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda workstation/server", "Dell 4x H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda workstation/server", "Dell 2x H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda workstation/server", "Dell H100 80GB SXM5", "dgxh100"},
    MachineName{"Lambda workstation/server", "H100 80GB PCIe Gen5", "8x-h100-pcie"},
    MachineName{"Lambda workstation/server", "RTX 3080", "2x-3080"},
    MachineName{"Lambda workstation/server", "RTX 3090", "8x-3090"},
    MachineName{"Lambda workstation/server", "RTX 4090", "8x-4090"},
    MachineName{"Lambda workstation/server", "RTX A6000", "8x-a6000"},
    MachineName{"Lambda workstation/server", "RTX 6000 Ada", "8x-6000ada"},
    MachineName{"Lambda workstation/server", "RTX 8000", "8x-rtx8000"},
    MachineName{"Lambda workstation/server", "Quadro RTX 8000", "8x-rtx8000"},
    MachineName{"Lambda workstation/server", "RTX 2080Ti", "8x-2080ti"},
    MachineName{"Lambda workstation/server", "GTX 1080Ti", "8x-1080ti"},
    MachineName{"Lambda workstation/server with NVLink bridges", "RTX 8000", "8x-rtx8000-nvlink"},
    MachineName{"Lambda workstation/server with NVLink bridges", "RTX 2080Ti", "8x-2080ti-nvlink"},
};

// Sources that contradict the others, by name; never rows by their error.
struct Exclusion {
  std::string_view machine, gpu, framework, dtype;  // an empty one: any
  std::string_view reason;
};
constexpr std::array kExclusions{
    Exclusion{"8x V100-SXM2", "", "PaddlePaddle", "",
              "half the efficiency of six other frameworks on the same machines: its reducer does not overlap"},
    Exclusion{"Lambda workstation/server", "A100 80GB SXM4", "", "",
              "its eight GPUs are another server than its four: 0.42 after 0.75 for BERT-large"},
    Exclusion{"Lambda workstation/server", "V100 32GB", "", "FP16",
              "ResNet-50 at 0.46 and VGG16 at 1.03 on the same server"},
};

const MachineName* machine_of(const Fields& row) {
  const auto found = std::ranges::find_if(kMachines, [&](const MachineName& name) {
    return name.published == row.at("machine") && (name.gpu.empty() || name.gpu == row.at("gpu"));
  });
  return found == kMachines.end() ? nullptr : &*found;
}

std::optional<std::string_view> model_of(const Fields& row) {
  const auto found =
      std::ranges::find_if(kModels, [&](const ModelName& name) { return name.published == row.at("model"); });
  if (found == kModels.end()) return std::nullopt;
  const bool is_built =
      std::ranges::any_of(model_table(), [&](const ModelEntry& entry) { return entry.name == found->model; });
  return is_built ? std::optional(found->model) : std::nullopt;
}

const Exclusion* exclusion_of(const Fields& row) {
  const auto found = std::ranges::find_if(kExclusions, [&](const Exclusion& one) {
    return row.at("machine").starts_with(one.machine) && (one.gpu.empty() || row.at("gpu") == one.gpu) &&
           row.at("framework").starts_with(one.framework) && (one.dtype.empty() || row.at("dtype") == one.dtype);
  });
  return found == kExclusions.end() ? nullptr : &*found;
}

int number_after(const std::string& text, const char* pattern, int otherwise) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? std::stoi(match[1]) : otherwise;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

int seq_len_of(const Fields& row) {
  if (!has(row.at("model"), "BERT")) return 0;
  const bool tunes = has(row.at("model"), "SQuAD") || has(row.at("note"), "SQuAD");
  return number_after(row.at("note"), R"(seq_len=(\d+))", tunes ? kFineTuningTokens : kPhaseOneTokens);
}

// "accumulation steps 64 and 32": with mixed precision, and without.
int accumulation_of(const Fields& row) {
  const bool half = row.at("dtype") == "AMP";
  return number_after(row.at("note"),
                      half ? R"(accumulation steps (\d+))" : R"(accumulation steps \d+ ?(?:,|and) ?(\d+))", 1);
}

// Rows that differ only in the number of GPUs.
std::string series_of(const Fields& row) {
  std::string machine = row.at("machine"), gpu = row.at("gpu");
  if (gpu.starts_with("Dell")) gpu = "Dell H100";
  std::string key = row.at("source").substr(0, row.at("source").find('@')) + machine + gpu;
  for (const char* field : {"model", "framework", "dtype", "batch_per_gpu", "synthetic_input"})
    key += '|' + row.at(field);
  for (const char* tag : {"fine-tuning", "NER", "seq_len=128", "seq_len=512", "bucket_cap_mb"}) {
    key += has(row.at("note"), tag) ? tag : "";
  }
  return key;
}

bool is_baseline(const Fields& row) { return row.at("gpus") == "1" && !has(row.at("note"), "no ddp"); }

// TensorFlow's parameter server on the CPU instead of NCCL.
bool sums_on_host(const Fields& row, const Instance& instance) {
  if (!has(row.at("framework"), "tf_cnn")) return false;
  const bool residual = has(row.at("model"), "ResNet");
  if (instance.name == "dgx1-p100") return residual || has(row.at("model"), "Inception");
  if (instance.name == "p2.8xlarge") return !residual || row.at("nodes") != "1";
  return instance.name == "n1-standard-32-k80x8";
}

// Replicas without NCCL: GeForce cards of this generation cannot reach each other's memory.
bool gathers(const Fields& row, const Instance& instance) {
  return has(row.at("framework"), "tf_cnn") && (instance.gpu == "RTX-3090" || instance.gpu == "RTX-3080");
}

// NCCL up to 2.7 sums large buckets of few nodes in a ring: it expects no more of trees there.
bool is_before_trees(const Fields& row) {
  return has(row.at("framework"), "AdaptDL") || has(row.at("source"), "DLPerf") ||
         has(row.at("framework"), "PyTorch 1.4");
}

// NCCL 1 makes one ring, over one NVLink of each GPU.
bool has_one_ring(const Fields& row, const Instance& instance) {
  return has(row.at("framework"), "tf_cnn") && instance.name == "dgx1-p100" && !sums_on_host(row, instance);
}

DType dtype_of(const std::string& published) {
  return published == "AMP" || published.starts_with("FP16") || published == "BF16" ? DType::fp16 : DType::fp32;
}

// Horovod joins gradients of up to 64 MB, its default.
bool uses_horovod(const Fields& row) {
  const std::string& framework = row.at("framework");
  if (has(framework, "tf_cnn")) return false;
  return has(framework, "MXNet") || has(row.at("note"), "horovod") ||
         (has(framework, "TensorFlow") && !has(framework, "tensorpack"));
}

// With mixed precision, what the scripts of these examples say: Compression.fp16 and allreduce_post_accumulation_fp16
// for BERT, weights of two bytes in MXNet, compact_gradient_transfer in replicas of tf_cnn_benchmarks.
bool halves_gradients(const Fields& row) {
  if (dtype_of(row.at("dtype")) == DType::fp32) return false;
  const std::string& framework = row.at("framework");
  if (has(framework, "MXNet")) return true;
  if (has(framework, "tf_cnn")) return has(framework, "replicated");
  if (!has(row.at("model"), "BERT")) return false;
  return has(framework, "TensorFlow") || accumulation_of(row) > 1;
}

std::vector<Fields> read_fields(const std::filesystem::path& file) {
  const CsvTable table = parse_csv(read_file(file, kFileLimit), file.string());
  std::vector<Fields> rows;
  for (const CsvRow& row : table.rows) {
    Fields& fields = rows.emplace_back();
    for (std::size_t i = 0; i < table.header.size(); ++i) fields[table.header[i]] = row.fields[i];
  }
  return rows;
}

ScalingRow made_row(const Fields& row, const Fields& single) {
  ScalingRow made;
  made.source = row.at("source").substr(0, row.at("source").find('@'));
  made.machine = row.at("machine");
  made.framework = row.at("framework");
  made.model = *model_of(row);
  made.instance = &find_instance(machine_of(row)->instance);
  made.seq_len = seq_len_of(row);
  made.image_size = has(row.at("model"), "CIFAR") ? 32 : has(made.model, "inception") ? 299 : 224;
  made.dtype = dtype_of(row.at("dtype"));
  made.batch = row.at("batch_per_gpu").empty() ? kBatchWhereUnpublished : std::stoi(row.at("batch_per_gpu"));
  made.accumulation = accumulation_of(row);
  made.gpus = std::stoi(row.at("gpus"));
  made.nodes = std::stoi(row.at("nodes"));
  const double single_per_s = std::stod(single.at("throughput_per_s"));
  made.single_s = made.batch / single_per_s;
  made.efficiency = std::stod(row.at("throughput_per_s")) / single_per_s / made.gpus;
  if (has(row.at("network"), "1 NIC")) made.what_if.network_bytes_per_s = kOneEdrCard;
  if (has(row.at("note"), "bucket_cap_mb=1")) made.what_if.bucket_bytes = 1 << 20;
  if (sums_on_host(row, *made.instance)) made.what_if.all_reduce = AllReduce::server;
  if (uses_horovod(row)) made.what_if.bucket_bytes = kHorovodBytes;
  made.halves_gradients = halves_gradients(row);
  made.reduces_at_end = has(row.at("model"), "BERT") && made.accumulation > 1;
  if (is_before_trees(row)) made.what_if.all_reduce = AllReduce::ring;
  if (has_one_ring(row, *made.instance)) made.what_if.link_bytes_per_s = kOneNvlink;
  if (gathers(row, *made.instance)) made.what_if.all_reduce = AllReduce::gather;
  return made;
}

}  // namespace

ScalingRows read_scaling_rows(const std::filesystem::path& file) {
  const std::vector<Fields> fields = read_fields(file);
  std::map<std::string, const Fields*> singles;
  for (const Fields& row : fields) {
    if (is_baseline(row)) singles.emplace(series_of(row), &row);
  }
  std::map<std::string, int> left_out;
  std::map<std::string, std::vector<ScalingRow>> series;
  for (const Fields& row : fields) {
    if (row.at("gpus") == "1") continue;
    const auto single = singles.find(series_of(row));
    if (!model_of(row)) {
      ++left_out["a model that stash does not build: " + row.at("model")];
    } else if (machine_of(row) == nullptr) {
      ++left_out["a machine that the catalogue does not have: " + row.at("machine") + " " + row.at("gpu")];
    } else if (const Exclusion* excluded = exclusion_of(row)) {
      ++left_out[fmt::format("{} {} {}: {}", excluded->machine, excluded->gpu, excluded->framework, excluded->reason)];
    } else if (single == singles.end() || has(row.at("note"), "inconsistent")) {
      ++left_out["nothing published for one GPU of the series"];
    } else if (!row.at("batch_per_gpu").empty() && std::stoi(row.at("batch_per_gpu")) > kGlobalBatch) {
      ++left_out["the batch is that of all GPUs"];
    } else {
      series[series_of(row)].push_back(made_row(row, *single->second));
    }
  }
  ScalingRows read;
  for (auto& [key, rows] : series) {
    if (std::ranges::any_of(rows, [](const ScalingRow& row) { return row.efficiency > kSuperlinear; })) {
      left_out["superlinear series: the one GPU was another server's"] += static_cast<int>(rows.size());
      continue;
    }
    std::ranges::move(rows, std::back_inserter(read.rows));
  }
  for (const auto& [reason, count] : left_out) read.left_out.push_back(fmt::format("{:>4} {}", count, reason));
  return read;
}

}  // namespace stash::bench
