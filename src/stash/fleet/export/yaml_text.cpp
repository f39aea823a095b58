#include "stash/fleet/export/yaml_text.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace stash {
namespace {

// Letters first, then what no reader of YAML takes for a number, a date, a mark or another type.
bool is_plain(const std::string& text) {
  const auto is_safe = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '-' || one == '.' || one == '/' || one == '_';
  };
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  if (!std::ranges::all_of(text, is_safe)) return false;
  std::string lower;
  for (const char one : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
  for (const char* const word : {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}) {
    if (lower == word) return false;
  }
  return true;
}

std::string yaml_scalar(const nlohmann::json& json) {
  if (json.is_string() && is_plain(json.get<std::string>())) return json.get<std::string>();
  return json.dump();  // a string in JSON's quotes is one of YAML
}

void write_yaml(const nlohmann::json& json, std::size_t depth, bool after_dash, std::string& out) {
  const std::string indent(2 * depth, ' ');
  bool is_first = after_dash;
  const auto begin = [&] {
    if (!is_first) out += indent;
    is_first = false;
  };
  const auto write_child = [&](const nlohmann::json& child) {
    if (child.is_object() && !child.empty()) {
      out += "\n";
      write_yaml(child, depth + 1, false, out);
    } else if (child.is_array() && !child.empty()) {
      out += "\n";
      write_yaml(child, depth + 1, false, out);
    } else {
      out += " " + yaml_scalar(child) + "\n";
    }
  };
  if (json.is_object()) {
    for (const auto& [key, child] : json.items()) {
      begin();
      out += yaml_scalar(key) + ":";
      write_child(child);
    }
    return;
  }
  for (const nlohmann::json& child : json) {
    begin();
    if ((child.is_object() || child.is_array()) && !child.empty()) {
      out += "- ";
      write_yaml(child, depth + 1, true, out);
    } else {
      out += "- " + yaml_scalar(child) + "\n";
    }
  }
}

}  // namespace

std::string yaml_text(const nlohmann::json& json) {
  if (!json.is_structured() || json.empty()) return yaml_scalar(json) + "\n";
  std::string out;
  write_yaml(json, 0, false, out);
  return out;
}

}  // namespace stash
