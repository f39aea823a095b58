#include "stash/launch/protocol/event.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/launch/protocol/event_fields.h"

namespace stash {
namespace {

constexpr const char* kNameKey = "event";

template <class E>
bool read_if_named(const nlohmann::json& json, const std::string& name, std::optional<RankEvent>& found) {
  if (name != E::kName) return false;
  E event;
  json_fields::read(json, json_fields::Path{nullptr, E::kName}, event);
  found = std::move(event);
  return true;
}

// One of the variant's types, the one with this name.
template <class... E>
std::optional<RankEvent> read_named(const nlohmann::json& json, const std::string& name, std::variant<E...>*) {
  std::optional<RankEvent> found;
  (void)(read_if_named<E>(json, name, found) || ...);
  return found;
}

}  // namespace

std::string_view to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::usage:
      return "usage";
    case FaultKind::environment:
      return "environment";
    case FaultKind::memory:
      return "memory";
    case FaultKind::peer:
      return "peer";
  }
  return "environment";
}

std::string to_line(const RankEvent& event) {
  nlohmann::json json = std::visit([](const auto& one) { return json_fields::write(one); }, event);
  std::visit([&](const auto& one) { json[kNameKey] = one.kName; }, event);
  return dump_json(json) + '\n';
}

RankEvent event_from_line(std::string_view line) {
  const nlohmann::json json = parse_json(line, "the line");
  const json_fields::Path path{nullptr, ""};
  json_fields::check_object(json, path);
  const nlohmann::json* const named = json_fields::find(json, kNameKey);
  if (named == nullptr) throw Error("it names no event");
  std::string name;
  json_fields::read(*named, json_fields::Path{&path, kNameKey}, name);
  std::optional<RankEvent> event = read_named(json, name, static_cast<RankEvent*>(nullptr));
  if (!event) throw Error("there is no event '" + name.substr(0, 40) + "'");
  return std::move(*event);
}

}  // namespace stash
