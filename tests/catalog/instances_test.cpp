#include "stash/catalog/instances.h"

#include <gtest/gtest.h>

#include <set>

#include "stash/catalog/gpu_model.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "support/message_of.h"

namespace stash {
namespace {

TEST(Instances, TheStudysAreThereAtItsPrices) {
  const std::pair<const char*, double> kPrices[] = {{"p2.xlarge", 0.9},    {"p2.8xlarge", 7.2},
                                                    {"p2.16xlarge", 14.4}, {"p3.2xlarge", 3.06},
                                                    {"p3.8xlarge", 12.24}, {"p3.16xlarge", 24.48}};
  for (const auto& [name, usd_per_h] : kPrices) {
    EXPECT_EQ(find_instance(name).usd_per_h, usd_per_h) << name;
    EXPECT_EQ(find_instance(name).price_date, "2022") << name;
  }
  EXPECT_EQ(find_instance("p3dn.24xlarge").gpu, "V100-32GB");
}

TEST(Instances, ThreeCloudsAndMachinesOfOnesOwnAreThere) {
  std::set<std::string> clouds;
  for (const Instance& instance : instance_table()) clouds.insert(instance.cloud);
  EXPECT_EQ(clouds, (std::set<std::string>{"aws", "azure", "google", "own"}));
}

TEST(Instances, MachinesOfOnesOwnHaveNoPrice) {
  EXPECT_EQ(find_instance("DGX1-V100").cloud, "own");
  for (const Instance& row : instance_table()) {
    EXPECT_FALSE(row.cloud == "own" && row.usd_per_h) << row.name;
    EXPECT_EQ(is_for_rent(row), row.cloud != "own") << row.name;
  }
}

TEST(Instances, TheGpusOfMachinesOfOnesOwnHaveRates) {
  for (const Instance& row : instance_table()) {
    EXPECT_TRUE(row.cloud != "own" || known_gpu(row) != nullptr) << row.name;
  }
}

TEST(Instances, EveryFigureHasASourceAndADate) {
  const auto has_year = [](const std::string& source) { return source.find(", 20") != std::string::npos; };
  for (const Instance& row : instance_table()) {
    EXPECT_TRUE(has_year(row.source)) << row.name;
    EXPECT_FALSE(row.date.empty()) << row.name;
    EXPECT_EQ(row.usd_per_h.has_value(), has_year(row.price_source) && !row.price_date.empty()) << row.name;
    EXPECT_EQ(row.network_bytes_per_s || row.network_burst_bytes_per_s, has_year(row.network_source)) << row.name;
    EXPECT_EQ(row.storage_bytes_per_s || row.storage_burst_bytes_per_s, has_year(row.storage_source)) << row.name;
    EXPECT_EQ(row.links.has_value(), has_year(row.links_source)) << row.name;
    EXPECT_EQ(row.host_bytes_per_s.has_value(), has_year(row.host_source)) << row.name;
  }
}

TEST(Instances, FiguresAgreeWithEachOther) {
  std::set<std::string> names;
  for (const Instance& row : instance_table()) {
    EXPECT_TRUE(names.insert(lower_case(row.name)).second) << row.name;
    EXPECT_TRUE(row.gpus >= 1 && row.gpus <= 16) << row.name;
    // A box with eight cards may have any processor.
    EXPECT_TRUE((row.vcpus && row.memory_bytes) || row.cloud == "own") << row.name;
    EXPECT_EQ(row.links.value_or(GpuLinks::none) == GpuLinks::none && row.links, row.gpus == 1) << row.name;
    EXPECT_LE(row.spot_usd_per_h.value_or(0), row.usd_per_h.value_or(0)) << row.name;
    if (row.network_bytes_per_s && row.network_burst_bytes_per_s) {
      EXPECT_LT(*row.network_bytes_per_s, *row.network_burst_bytes_per_s) << row.name;
    }
    if (const Gpu* gpu = known_gpu(row); gpu && row.gpu_memory_bytes) {
      EXPECT_NEAR(static_cast<double>(*row.gpu_memory_bytes) / static_cast<double>(gpu->memory_bytes), 1, 0.12)
          << row.name;
    }
  }
}

// SkyPilot's list has 12.
TEST(Instances, AzuresH100MachineHasEightGpus) { EXPECT_EQ(find_instance("Standard_ND96isr_H100_v5").gpus, 8); }

TEST(Instances, ABurstIsNoBaseline) {
  const Instance& small = find_instance("p3.2xlarge");
  EXPECT_EQ(small.network_bytes_per_s, 2.5e9 / 8);
  EXPECT_EQ(small.network_burst_bytes_per_s, 10e9 / 8);
  EXPECT_FALSE(find_instance("p2.xlarge").network_bytes_per_s);
}

TEST(Instances, LinksAreThoseOfTheGpus) {
  EXPECT_EQ(find_instance("p2.16xlarge").gpus_per_uplink, 2);
  EXPECT_EQ(find_instance("p3.16xlarge").link_bytes_per_s, 150e9);
  EXPECT_EQ(find_instance("p3.8xlarge").links, GpuLinks::nvlink);
  EXPECT_EQ(find_instance("p4d.24xlarge").link_bytes_per_s, 300e9);
  EXPECT_EQ(find_instance("a3-highgpu-8g").link_bytes_per_s, 450e9);
  EXPECT_EQ(find_instance("p6-b200.48xlarge").link_bytes_per_s, 900e9);
}

TEST(Instances, NamesAreFoundInAnyCase) { EXPECT_EQ(find_instance("STANDARD_nc6").name, "Standard_NC6"); }

TEST(Instances, AnUnknownNameGetsTheNearest) {
  EXPECT_THROW(find_instance("p3.8xlarg"), UsageError);
  EXPECT_EQ(message_of([] { find_instance("p3.8xlarg"); }), "unknown instance 'p3.8xlarg'; did you mean 'p3.8xlarge'?");
  EXPECT_EQ(message_of([] { find_instance("DGX-A100"); }),
            "unknown instance 'DGX-A100'; did you mean 'dgxa100-40' or 'dgxa100-80'?");
  EXPECT_NE(message_of([] { find_instance("standard_nd40rs_v3"); }).find("'Standard_ND40rs_v2'"), std::string::npos);
  EXPECT_NE(message_of([] { find_instance("toaster"); }).find("stash catalog list"), std::string::npos);
}

TEST(Instances, AGpuWithoutRatesIsToldApart) {
  EXPECT_EQ(known_gpu(find_instance("g7.2xlarge")), nullptr);
  ASSERT_NE(known_gpu(find_instance("p3.2xlarge")), nullptr);
  EXPECT_EQ(known_gpu(find_instance("p3.2xlarge"))->name, "V100");
  Instance bare;
  bare.gpu = "V100";
  EXPECT_EQ(gpu_memory_bytes(bare), std::int64_t{16} << 30);
}

TEST(GpuModel, DriversNamesAreThoseOfTheCatalogue) {
  const std::pair<const char*, const char*> kNames[] = {{"Tesla V100-SXM2-16GB", "V100"},
                                                        {"Tesla V100-SXM2-32GB", "V100-32GB"},
                                                        {"Tesla V100-PCIE-16GB", "V100-PCIe"},
                                                        {"NVIDIA A100-SXM4-80GB", "A100-80GB"},
                                                        {"NVIDIA A100 80GB PCIe", "A100-80GB-PCIe"},
                                                        {"NVIDIA H100 80GB HBM3", "H100"},
                                                        {"NVIDIA H100 NVL", "H100-NVL"},
                                                        {"NVIDIA H200", "H200"},
                                                        {"Tesla T4", "T4"},
                                                        {"NVIDIA A10G", "A10G"},
                                                        {"H100-MEGA", "H100"},
                                                        {"NVIDIA L40S", "L40S"},
                                                        {"NVIDIA H100 PCIe", "H100-PCIe"},
                                                        {"Tesla P100-SXM2-16GB", "P100-SXM2"},
                                                        {"NVIDIA GeForce GTX 1080 Ti", "GTX-1080-Ti"},
                                                        {"NVIDIA GeForce RTX 4090", "RTX-4090"},
                                                        {"NVIDIA RTX A6000", "RTX-A6000"},
                                                        {"NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada"},
                                                        {"Quadro RTX 8000", "RTX-8000"},
                                                        {"Quadro RTX 6000", "Quadro RTX 6000"},
                                                        {"NVIDIA A100-PCIE-40GB", "A100-PCIe"},
                                                        {"Tesla V100-PCIE-32GB", "V100-PCIe-32GB"},
                                                        {"Inferentia2", "Inferentia2"}};
  for (const auto& [model, name] : kNames) EXPECT_EQ(catalogued_gpu_name(model), name);
}

TEST(GpuModel, MemoryTellsVariantsApart) {
  EXPECT_EQ(catalogued_gpu_name("V100", std::int64_t{32} << 30), "V100-32GB");
  EXPECT_EQ(catalogued_gpu_name("A100", std::int64_t{80} << 30), "A100-80GB");
  EXPECT_EQ(catalogued_gpu_name("A100", std::int64_t{40} << 30), "A100");
}

}  // namespace
}  // namespace stash
