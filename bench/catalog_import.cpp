// How long an import of SkyPilot's catalogue takes: a file of the shape of AWS's, with as many rows.
//
//   catalog_import [--rows N] [--repeats N] [--file vms.csv]
//
// One row for each zone: 1,100 instances of which 1 in 13 has GPUs, 22 regions. --file times another file.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "stash/catalog/instance_json.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot.h"
#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace {

namespace fs = std::filesystem;

constexpr double kLimit_s = 0.1;

struct Gpu {
  const char* name;
  int memory_mib;
};
constexpr std::array kGpus{Gpu{"T4", 16384},   Gpu{"A10G", 22888}, Gpu{"L4", 22888},   Gpu{"L40S", 45776},
                           Gpu{"A100", 40960}, Gpu{"H100", 81920}, Gpu{"V100", 32768}, Gpu{"B200", 183359}};
constexpr std::array kAreas{"us-east-1",    "us-east-2",    "us-west-1",      "us-west-2",
                            "eu-west-1",    "eu-central-1", "eu-north-1",     "ap-south-1",
                            "ca-central-1", "sa-east-1",    "ap-northeast-1", "ap-northeast-2"};
constexpr int kZones = 4;
constexpr int kGpuEvery = 13;

std::string gpu_info(const Gpu& gpu, int count) {
  return fmt::format(
      "\"{{'Gpus': [{{'Name': '{}', 'Manufacturer': 'NVIDIA', 'Count': {}, 'LogicalGpuCount': {}, 'GpuPartitionSize': "
      "1.0, 'Workloads': ['ml-ai', 'graphics'], 'MemoryInfo': {{'SizeInMiB': {}}}}}], 'TotalGpuMemoryInMiB': {}}}\"",
      gpu.name, count, count, gpu.memory_mib, count * gpu.memory_mib);
}

void make_file(const fs::path& path, int rows) {
  std::ofstream file(path);
  file << "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
          "AvailabilityZone,Arch,LocalDiskType,NVMeSupported,LocalDiskSize,LocalDiskCount\n";
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0.3, 1);
  const int zones = static_cast<int>(kAreas.size()) * kZones;
  for (int row = 0; row < rows; ++row) {
    const int instance = row / zones, zone = row % zones;
    const int place = zone / kZones;
    const char* area = kAreas[static_cast<std::size_t>(place)];
    const Gpu& gpu = kGpus[static_cast<std::size_t>(instance) % kGpus.size()];
    const int count = 1 << (instance / kGpuEvery % 4);
    const bool has_gpu = instance % kGpuEvery == 0;
    const double price = 0.1 * (1 + instance % 97) * (1 + place * 0.03);
    file << fmt::format(
        "x{}.{}xlarge,{},{},{}.0,{}.0,{},{:.4f},{:.6f},{},{}-az{},x86_64,ssd,True,900.0,1.0\n", instance / 10,
        1 + instance % 10, has_gpu ? gpu.name : "", has_gpu ? fmt::format("{}.0", count) : "", 4 * count, 16 * count,
        has_gpu ? gpu_info(gpu, count) : "", price, price * share(random), area, area, zone % kZones + 1);
  }
  if (!file.flush()) throw stash::Error(fmt::format("cannot write '{}'", path.string()));
}

struct Timed {
  double import_s = 0;
  double write_s = 0;
  stash::SkypilotImport found;
};

Timed time_import(const fs::path& path) {
  Timed timed;
  const std::int64_t start_ns = stash::now_ns();
  std::ifstream file(path, std::ios::binary);
  timed.found = stash::import_skypilot(file, {.source = "vms.csv", .date = "2026-08-22", .cloud = "", .region = ""},
                                       stash::instance_table());
  const std::int64_t imported_ns = stash::now_ns();
  const std::string text = stash::to_json_text(timed.found.catalogue.instances);
  timed.import_s = stash::seconds(imported_ns - start_ns);
  timed.write_s = stash::seconds(stash::now_ns() - imported_ns);
  if (text.empty()) throw stash::Error("nothing was written");
  return timed;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void report(const fs::path& path, int repeats) {
  std::vector<double> import_s, write_s;
  Timed timed;
  for (int i = 0; i < repeats; ++i) {
    timed = time_import(path);
    import_s.push_back(timed.import_s);
    write_s.push_back(timed.write_s);
  }
  fmt::print("{} rows, {} bytes, {} instances with GPUs, {} repeats\n", timed.found.rows, fs::file_size(path),
             timed.found.catalogue.instances.size(), repeats);
  fmt::print("{:<12}{:>12}{:>12}{:>12}\n", "", "median ms", "least ms", "most ms");
  const auto row = [](const char* name, const std::vector<double>& s) {
    fmt::print("{:<12}{:>12.2f}{:>12.2f}{:>12.2f}\n", name, median_of(s) * 1e3, *std::ranges::min_element(s) * 1e3,
               *std::ranges::max_element(s) * 1e3);
  };
  row("import", import_s);
  row("to JSON", write_s);
  fmt::print("import within {:.0f} ms: {}\n", kLimit_s * 1e3, median_of(import_s) <= kLimit_s ? "yes" : "no");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How long an import of SkyPilot's catalogue takes"};
  int rows = 54'000, repeats = 21;
  std::string file;
  app.add_option("--rows", rows)->check(CLI::Range(1, 10'000'000));
  app.add_option("--repeats", repeats)->check(CLI::Range(1, 10'000));
  app.add_option("--file", file);
  CLI11_PARSE(app, argc, argv);
  const fs::path made = fs::temp_directory_path() / "stash-catalog-import.csv";
  try {
    if (file.empty()) make_file(made, rows);
    report(file.empty() ? made : fs::path(file), repeats);
  } catch (const std::exception& error) {
    fmt::print(stderr, "catalog_import: {}\n", error.what());
    return 1;
  }
  fs::remove(made);
  return 0;
}
