#include "stash/catalog/topology/topology_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "stash/core/error.h"

namespace stash {
namespace {

constexpr std::size_t kMostLines = 500;
constexpr int kMostDevices = 64;              // of one kind, in a machine
constexpr int kMostLinksOfPair = 18;          // of a GPU with NVLink 5
constexpr double kFastestBytes_per_s = 1e15;  // no link comes near it
constexpr std::size_t kIndentation = 2;

constexpr std::array<std::string_view, 5> kReaches{"none", "pcie_switch", "host_bridge", "socket", "machine"};

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

class TopologyReader {
 public:
  explicit TopologyReader(std::string_view source) : source_(source) {}

  void line(std::string_view text) {
    if (++line_ > kMostLines) fail(fmt::format("there are more than {} lines", kMostLines));
    if (text.ends_with('\r')) text.remove_suffix(1);
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos || text[start] == '#') return;
    const std::vector<std::string_view> words = split_words(text);
    if (start == 0 && words[0] != "socket") {
      head(words, text);
    } else {
      part(words, start);
    }
  }

  Topology finish() {
    line_ = 0;
    const auto is_missing = [](const PcieDevice& gpu) { return gpu.bytes_per_s == 0; };
    if (result_.gpus.empty()) fail("it has no GPUs");
    if (std::ranges::any_of(result_.gpus, is_missing)) fail("GPUs are not numbered from 0 without gaps");
    const int gpus = static_cast<int>(result_.gpus.size());
    for (const NvlinkPair& pair : result_.nvlinks) {
      if (pair.second >= gpus) fail(fmt::format("GPU {} has an NVLink, but no place", pair.second));
    }
    const bool has_nvlinks = !result_.nvlinks.empty() || result_.switch_links_per_gpu;
    if (has_nvlinks != (result_.nvlink_bytes_per_s > 0)) fail("links and nvlink (the rate of one) need each other");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    if (line_ == 0) throw Error(fmt::format("{}: {}", source_, problem));
    throw Error(fmt::format("{} line {}: {}", source_, line_, problem));
  }

  template <class T>
  T number(std::string_view word, T least, T most) const {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= least && value <= most)) {
      fail(fmt::format("'{}' is not a number from {:g} to {:g}", word, static_cast<double>(least),
                       static_cast<double>(most)));
    }
    return value;
  }

  double rate(std::string_view word) const { return number<double>(word, 1, kFastestBytes_per_s); }
  int gpu_index(std::string_view word) const { return number<int>(word, 0, kMostDevices - 1); }

  void head(const std::vector<std::string_view>& words, std::string_view text) {
    const std::string_view key = words[0];
    if (words.size() < 2) fail(fmt::format("'{}' has no value", key));
    if (key == "source") {
      result_.source = text.substr(static_cast<std::size_t>(words[1].data() - text.data()));
    } else if (key == "date") {
      result_.date = words[1];
    } else if (key == "machines") {
      result_.machines.insert(result_.machines.end(), words.begin() + 1, words.end());
    } else if (key == "peers") {
      peers(words[1]);
    } else if (key == "nvlink") {
      result_.nvlink_bytes_per_s = rate(words[1]);
    } else if (key == "links") {
      for (std::size_t i = 1; i < words.size(); ++i) links(words[i]);
    } else if (key == "nvswitch") {
      result_.switch_links_per_gpu = number<int>(words[1], 1, kMostLinksOfPair);
      result_.switch_reduces = words.size() > 2 && words[2] == "reduces";
    } else if (key == "between_sockets") {
      result_.socket_link_bytes_per_s = rate(words[1]);
    } else {
      fail(fmt::format("no key is called '{}'", key));
    }
  }

  void peers(std::string_view word) {
    const auto found = std::ranges::find(kReaches, word);
    if (found == kReaches.end()) throw_unknown("peers", word, kReaches);
    result_.peer_reach = static_cast<PeerReach>(found - kReaches.begin());
  }

  // "0-3x2": two NVLinks between GPUs 0 and 3.
  void links(std::string_view word) {
    const std::size_t dash = word.find('-'), times = word.find('x');
    if (dash == std::string_view::npos || times == std::string_view::npos || times < dash) {
      fail(fmt::format("'{}' is not like 0-3x2", word));
    }
    const int first = gpu_index(word.substr(0, dash));
    const int second = gpu_index(word.substr(dash + 1, times - dash - 1));
    if (first >= second) fail(fmt::format("'{}' must have the smaller GPU first", word));
    if (nvlinks_between(result_, first, second) > 0) fail(fmt::format("'{}' is there twice", word));
    result_.nvlinks.push_back({first, second, number<int>(word.substr(times + 1), 1, kMostLinksOfPair)});
  }

  void part(const std::vector<std::string_view>& words, std::size_t indentation) {
    const std::size_t depth = indentation / kIndentation;
    if (indentation % kIndentation != 0 || depth > above_.size()) fail("it is not two spaces inside its place");
    above_.resize(depth);
    const std::string_view kind = words[0];
    if (kind == "socket") return place(PciePlace::Kind::socket, words);
    if (above_.empty()) fail(fmt::format("'{}' has no place", kind));
    if (kind == "bridge") return place(PciePlace::Kind::host_bridge, words);
    if (kind == "switch") return place(PciePlace::Kind::pcie_switch, words);
    if (kind == "gpus" && words.size() == 3) return gpus(words[1], rate(words[2]));
    if (kind == "nics" && words.size() == 3) return nics(words[1], rate(words[2]));
    fail(fmt::format("'{}' is neither a place nor 'gpus 0-3 RATE' nor 'nics NUMBER RATE'", kind));
  }

  void place(PciePlace::Kind kind, const std::vector<std::string_view>& words) {
    if ((kind == PciePlace::Kind::socket) != above_.empty())
      fail("a socket is the outermost place, all others are in one");
    PciePlace place{.kind = kind, .above = std::nullopt, .bytes_per_s = std::nullopt};
    if (!above_.empty()) place.above = above_.back();
    if (words.size() > 1) place.bytes_per_s = rate(words[1]);
    above_.push_back(static_cast<int>(result_.places.size()));
    result_.places.push_back(place);
  }

  void gpus(std::string_view range, double bytes_per_s) {
    const std::size_t dash = range.find('-');
    const int first = gpu_index(range.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : gpu_index(range.substr(dash + 1));
    if (last < first) fail(fmt::format("'{}' must have the smaller GPU first", range));
    for (int gpu = first; gpu <= last; ++gpu) {
      if (result_.gpus.size() <= static_cast<std::size_t>(gpu)) result_.gpus.resize(static_cast<std::size_t>(gpu) + 1);
      PcieDevice& device = result_.gpus[static_cast<std::size_t>(gpu)];
      if (device.bytes_per_s > 0) fail(fmt::format("GPU {} is there twice", gpu));
      device = {above_.back(), bytes_per_s};
    }
  }

  void nics(std::string_view count, double bytes_per_s) {
    const int number_of_cards = number<int>(count, 1, kMostDevices);
    if (result_.network_cards.size() + static_cast<std::size_t>(number_of_cards) > kMostDevices) {
      fail(fmt::format("there are more than {} network cards", kMostDevices));
    }
    for (int i = 0; i < number_of_cards; ++i) result_.network_cards.push_back({above_.back(), bytes_per_s});
  }

  std::string_view source_;
  std::size_t line_ = 0;
  Topology result_;
  std::vector<int> above_;  // the places around the line at hand, the outermost first
};

}  // namespace

Topology parse_topology(std::string_view text, std::string_view source) {
  TopologyReader reader(source);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace stash
