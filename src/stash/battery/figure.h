#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// One measured property of a machine.
struct Figure {
  std::string name;     // memory_triad, decode, storage_sequential, ...
  std::string setting;  // "threads=2", "cold", ...: what tells figures of one name apart
  std::string unit;     // bytes_per_s, samples_per_s, reads_per_s, files_per_s, s
  std::vector<double> samples;
  std::optional<double> median;  // of the samples, with its 95 % interval; nullopt: it is absent
  std::optional<double> low;
  std::optional<double> high;
  std::string why_absent;  // a sentence without a full stop
  bool operator==(const Figure&) const = default;
};

inline constexpr int kFigureWindows = 10;  // samples that a measured figure has: enough for an interval

// The median's interval from the samples' order, which holds for any distribution; with fewer than six samples the
// smallest and the largest.
Figure make_figure(std::string name, std::string setting, std::string unit, std::vector<double> samples);
Figure absent_figure(std::string name, std::string setting, std::string unit, std::string why);

const Figure* find_figure(const std::vector<Figure>& figures, std::string_view name, std::string_view setting);

// machine.json: {"schema_version", "tool", "figures": [...]}.
std::string to_json_text(const std::vector<Figure>& figures);
std::vector<Figure> figures_from_json_text(std::string_view text);  // Error names the key at fault

}  // namespace stash
