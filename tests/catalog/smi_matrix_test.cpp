#include "stash/catalog/topology/smi_matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "../core/mutate.h"
#include "catalog/smi_texts.h"
#include "stash/catalog/topology/topology_check.h"
#include "stash/core/error.h"
#include "support/message_of.h"

namespace stash {
namespace {

SmiMatrix matrix_of(const std::string& text) { return parse_smi_matrix(text, "topo.txt"); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(SmiMatrix, ACubeMeshIsRead) {
  const SmiMatrix matrix = matrix_of(kCubeMeshText);
  EXPECT_EQ(matrix.gpus, 8u);
  EXPECT_TRUE(matrix.cards.empty());
  EXPECT_EQ(to_string(matrix.at(0, 3)), "NV2");
  EXPECT_EQ(to_string(matrix.at(0, 5)), "SYS");
  EXPECT_EQ(to_string(matrix.at(7, 7)), "X");
  EXPECT_EQ(matrix.cpu_affinity[4], "20-39,60-79");
}

TEST(SmiMatrix, NetworkCardsAreColumnsAfterTheGpus) {
  const SmiMatrix matrix = matrix_of(kTwoTreesText);
  EXPECT_EQ(matrix.gpus, 8u);
  EXPECT_EQ(matrix.cards, (std::vector<std::string>{"mlx5_0"}));
  EXPECT_EQ(to_string(matrix.at(4, 8)), "PHB");
  EXPECT_EQ(to_string(matrix.at(2, 3)), "PIX");
}

TEST(SmiMatrix, EscapeSequencesAreSkipped) {
  EXPECT_EQ(matrix_of(all_alike_text(16, "NV6")).gpus, 16u);
  EXPECT_EQ(matrix_of(replaced(all_alike_text(2, "PHB"), "\x1b[4m", "[4m")).gpus, 2u);
}

TEST(SmiMatrix, OlderDriversSayOfSocketsWhatNewerOnesSayOfTheSystem) {
  EXPECT_EQ(to_string(matrix_of(all_alike_text(2, "SOC")).at(0, 1)), "SYS");
}

TEST(SmiMatrix, AFaultNamesItsLine) {
  const auto message = [](const std::string& text) { return message_of([&] { matrix_of(text); }); };
  EXPECT_EQ(message("hello"), "topo.txt has no matrix of GPUs; save the output of 'nvidia-smi topo -m'");
  EXPECT_EQ(message(replaced(kCubeMeshText, "NV2     SYS     SYS     SYS     0", "NV2     SYS     SUS     SYS     0")),
            "topo.txt line 2: 'SUS' is no connection; nvidia-smi writes NV2, PIX, PXB, PHB, NODE or SYS, and X for the "
            "same");
  EXPECT_EQ(message(kCubeMeshText.substr(0, kCubeMeshText.find("GPU7    SYS"))),
            "topo.txt: the matrix has no row for GPU7; save the output of 'nvidia-smi topo -m' whole");
  EXPECT_EQ(message(kCubeMeshText + "GPU3    NV2     NV1\n"),
            "topo.txt line 16: there is a second row for GPU3; save the output of one run");
  EXPECT_EQ(message(replaced(kCubeMeshText, "GPU1    NV1 ", "GPU1    NV2 ")),
            "topo.txt lines 2 and 3 contradict each other: GPU0 to GPU1 is NV1, back it is NV2");
  EXPECT_EQ(message(kCubeMeshText.substr(kCubeMeshText.find("\nGPU0") + 1)),
            "topo.txt line 1: the line above the rows, GPU0 GPU1 and so on, is missing");
  EXPECT_EQ(message("GPU0 GPU1 CPU\nGPU0 X\n"), "topo.txt line 2: the row of GPU0 has 1 of 2 connections");
}

TEST(SmiMatrix, DamagedTextsGiveAMatrixOrAnErrorAndNothingElse) {
  const std::vector<std::string> tokens{"GPU0", "GPU99999999999", "NV0", "NV999",  "X",  "\n",
                                        "\t",   "\x1b[",          "[4m", "mlx5_0", "PIX"};
  std::mt19937 random(20261118);
  int read = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    try {
      const SmiMatrix matrix = matrix_of(stash::mutate(i % 2 ? kCubeMeshText : kTwoTreesText, random, tokens, 3, 20));
      EXPECT_EQ(examine({.matrix = matrix, .gpu = nullptr, .type = nullptr, .slots = {}}).gpus, matrix.gpus);
      ++read;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

TEST(SmiMatrix, AHeaderOfThousandsIsRefused) {
  std::string header;
  for (int gpu = 0; gpu < 1000; ++gpu) header += "GPU" + std::to_string(gpu) + " ";
  EXPECT_EQ(message_of([&] { matrix_of(header + "\n"); }), "topo.txt line 1: there are more than 256 devices");
}

}  // namespace
}  // namespace stash
