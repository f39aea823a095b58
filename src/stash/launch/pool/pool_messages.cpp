#include "stash/launch/pool/pool_messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/launch/pool/pool_message_fields.h"

namespace stash {
namespace {

constexpr const char* kMessageKey = "message";

template <class M, class Message>
bool read_message(const nlohmann::json& json, const std::string& name, std::optional<Message>& found) {
  if (name != M::kName) return false;
  M message;
  json_fields::read(json, json_fields::Path{nullptr, M::kName}, message);
  found = std::move(message);
  return true;
}

// One of the variant's types, the one with this name.
template <class... M>
std::variant<M...> message_from_line(std::string_view line, std::variant<M...>*) {
  const nlohmann::json json = parse_json(line, "the line");
  json_fields::check_object(json, json_fields::Path{nullptr, ""});
  const nlohmann::json* const named = json_fields::find(json, kMessageKey);
  if (named == nullptr || !named->is_string()) throw Error("it names no message");
  const std::string name = named->get<std::string>();
  std::optional<std::variant<M...>> found;
  (void)(read_message<M>(json, name, found) || ...);
  if (!found) throw Error(fmt::format("there is no message '{}'", name.substr(0, 64)));
  return *std::move(found);
}

template <class Message>
std::string message_line(const Message& message) {
  nlohmann::json json = std::visit([](const auto& one) { return json_fields::write(one); }, message);
  std::visit([&](const auto& one) { json[kMessageKey] = one.kName; }, message);
  return dump_json(json) + '\n';
}

}  // namespace

std::string to_line(const PoolRequest& request) { return message_line(request); }
std::string to_line(const PoolReply& reply) { return message_line(reply); }

PoolRequest request_from_line(std::string_view line) {
  return message_from_line(line, static_cast<PoolRequest*>(nullptr));
}

PoolReply reply_from_line(std::string_view line) { return message_from_line(line, static_cast<PoolReply*>(nullptr)); }

}  // namespace stash
