#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stash/core/error.h"
#include "stash/core/units.h"

namespace stash {

inline int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// One table of a file that a user wrote: its keys are known, each value is of its type. UsageError names file, line and
// key. It refers to the table. Included where TOML is read and nowhere else, since toml++ takes seconds to compile.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string source, std::span<const std::string_view> known)
      : table_(table), source_(std::move(source)) {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      const std::string_view near = nearest(key.str(), known);
      fail(static_cast<int>(key.source().begin.line), key.str(),
           near.empty() ? "is unknown" : fmt::format("is unknown; did you mean '{}'?", near));
    }
  }

  [[noreturn]] void fail(int line, std::string_view key, std::string_view what) const {
    throw UsageError(fmt::format("{}, line {}: '{}' {}", source_, line, key, what));
  }
  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    const toml::node* node = table_.get(key);
    fail(node == nullptr ? line_of(table_) : line_of(*node), key, what);
  }

  bool has(std::string_view key) const { return table_.get(key) != nullptr; }
  const toml::array* array(std::string_view key) const {
    const toml::node* node = table_.get(key);
    return node == nullptr ? nullptr : node->as_array();
  }

  std::string text(std::string_view key) const {  // "": the key is not there
    const toml::node* node = table_.get(key);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) fail(key, "must be a text in quotes");
    return *value;
  }

  std::optional<double> number(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value > 0) || !std::isfinite(*value)) fail(key, "must be a number above 0");
    return value;
  }

  std::optional<int> count(std::string_view key, int most) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 1 || *value > most) fail(key, fmt::format("must be a whole number from 1 to {}", most));
    return static_cast<int>(*value);
  }

  std::optional<bool> flag(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<bool>();
    if (!value) fail(key, "must be true or false");
    return value;
  }

  std::optional<double> duration_s(std::string_view key) const {
    const std::string given = text(key);
    if (given.empty()) return std::nullopt;
    return parsed_s(key, given);
  }
  double parsed_s(std::string_view key, const std::string& given) const {
    try {
      return parse_duration_s(given, key);
    } catch (const UsageError& error) {
      fail(key, fmt::format("is not a duration: {}", error.what()));
    }
  }

 private:
  const toml::table& table_;
  std::string source_;
};

}  // namespace stash
