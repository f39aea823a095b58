#include "stash/catalog/topology/smi_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostSmiDevices = 256;  // of a matrix; the largest machines show some 80
constexpr std::size_t kLongestSmiLine = 1 << 14;
constexpr std::size_t kLongestSmiWord = 40;  // shown in messages
constexpr int kMostSmiNvlinks = 36;          // between two GPUs: beyond any machine

constexpr std::array<std::pair<std::string_view, SmiRelation>, 7> kRelations{{{"X", SmiRelation::self},
                                                                              {"PIX", SmiRelation::pix},
                                                                              {"PXB", SmiRelation::pxb},
                                                                              {"PHB", SmiRelation::phb},
                                                                              {"NODE", SmiRelation::node},
                                                                              {"SYS", SmiRelation::sys},
                                                                              {"SOC", SmiRelation::sys}}};

// The header is underlined: ESC [ 4 m. Terminals that were copied from leave "[4m".
std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') ++i;
    if (line[i] == '[') {
      const std::size_t end = line.find_first_not_of("0123456789;", i + 1);
      if (end != std::string_view::npos && line[end] == 'm') {
        i = end;
        continue;
      }
    }
    plain += line[i];
  }
  return plain;
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::optional<std::size_t> number_after(std::string_view prefix, std::string_view word) {
  if (!word.starts_with(prefix)) return std::nullopt;
  word.remove_prefix(prefix.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<SmiCell> cell_of(std::string_view word) {
  for (const auto& [name, relation] : kRelations) {
    if (word == name) return SmiCell{relation, 0};
  }
  const std::optional<std::size_t> links = number_after("NV", word);
  if (!links || *links < 1 || *links > kMostSmiNvlinks) return std::nullopt;
  return SmiCell{SmiRelation::nvlink, static_cast<int>(*links)};
}

class SmiMatrixReader {
 public:
  explicit SmiMatrixReader(std::string_view source) : source_(source) {}

  void line(std::string_view text) {
    ++line_;
    if (text.size() > kLongestSmiLine) return;  // nothing that the command prints
    const std::string plain = without_escapes(text);
    const std::vector<std::string_view> words = words_of_line(plain);
    const std::optional<std::size_t> gpu = words.empty() ? std::nullopt : number_after("GPU", words[0]);
    if (!gpu) return;
    if (matrix_.gpus == 0) {
      if (words.size() > 1 && cell_of(words[1])) fail("the line above the rows, GPU0 GPU1 and so on, is missing");
      if (*gpu == 0) header(words);
    } else if (words.size() > 1 && !number_after("GPU", words[1])) {
      row(*gpu, words);
    }
  }

  SmiMatrix finish() {
    if (matrix_.gpus == 0) {
      throw Error(fmt::format("{} has no matrix of GPUs; save the output of 'nvidia-smi topo -m'", source_));
    }
    const auto missing = std::ranges::find(lines_, 0u);
    if (missing != lines_.end()) {
      throw Error(fmt::format("{}: the matrix has no row for GPU{}; save the output of 'nvidia-smi topo -m' whole",
                              source_, missing - lines_.begin()));
    }
    check_both_ways();
    return std::move(matrix_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(fmt::format("{} line {}: {}", source_, line_, problem));
  }

  std::size_t devices() const { return matrix_.gpus + matrix_.cards.size(); }

  // GPU0 GPU1 ... then network cards, then "CPU Affinity" and the like.
  void header(const std::vector<std::string_view>& words) {
    std::size_t gpus = 0;
    while (gpus < words.size() && number_after("GPU", words[gpus]) == gpus) ++gpus;
    for (std::size_t i = gpus; i < words.size() && words[i] != "CPU"; ++i) matrix_.cards.emplace_back(words[i]);
    if (gpus + matrix_.cards.size() > kMostSmiDevices)
      fail(fmt::format("there are more than {} devices", kMostSmiDevices));
    matrix_.gpus = gpus;
    matrix_.cells.resize(gpus * devices());
    matrix_.cpu_affinity.resize(gpus);
    lines_.resize(gpus);
  }

  void row(std::size_t gpu, const std::vector<std::string_view>& words) {
    if (gpu >= matrix_.gpus) fail(fmt::format("there is a row for GPU{}, but no column", gpu));
    if (lines_[gpu] != 0) fail(fmt::format("there is a second row for GPU{}; save the output of one run", gpu));
    if (words.size() <= devices()) {
      fail(fmt::format("the row of GPU{} has {} of {} connections", gpu, words.size() - 1, devices()));
    }
    for (std::size_t device = 0; device < devices(); ++device) {
      matrix_.cells[gpu * devices() + device] = cell(words[device + 1], gpu == device);
    }
    if (words.size() > devices() + 1) matrix_.cpu_affinity[gpu] = words[devices() + 1];
    lines_[gpu] = line_;
  }

  SmiCell cell(std::string_view word, bool is_itself) const {
    const std::optional<SmiCell> found = cell_of(word);
    if (!found || (found->relation == SmiRelation::self) != is_itself) {
      fail(fmt::format("'{}' is no connection{}; nvidia-smi writes NV2, PIX, PXB, PHB, NODE or SYS, and X for the same",
                       word.substr(0, kLongestSmiWord), found ? " here" : ""));
    }
    return *found;
  }

  void check_both_ways() const {
    for (std::size_t a = 0; a < matrix_.gpus; ++a) {
      for (std::size_t b = a + 1; b < matrix_.gpus; ++b) {
        if (matrix_.at(a, b) == matrix_.at(b, a)) continue;
        throw Error(fmt::format("{} lines {} and {} contradict each other: GPU{} to GPU{} is {}, back it is {}",
                                source_, lines_[a], lines_[b], a, b, to_string(matrix_.at(a, b)),
                                to_string(matrix_.at(b, a))));
      }
    }
  }

  std::string_view source_;
  std::size_t line_ = 0;
  SmiMatrix matrix_;
  std::vector<std::size_t> lines_;  // of each GPU's row; 0: not seen
};

}  // namespace

std::string to_string(const SmiCell& cell) {
  if (cell.relation == SmiRelation::nvlink) return fmt::format("NV{}", cell.nvlinks);
  return std::string(
      std::ranges::find(kRelations, cell.relation, &std::pair<std::string_view, SmiRelation>::second)->first);
}

SmiMatrix parse_smi_matrix(std::string_view text, std::string_view source) {
  SmiMatrixReader reader(source);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace stash
