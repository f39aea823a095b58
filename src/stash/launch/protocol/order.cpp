#include "stash/launch/protocol/order.h"

#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/launch/protocol/order_fields.h"

namespace stash {
namespace {

constexpr std::size_t kOrderLimitBytes = 16u << 20;  // thousands of ranks

template <class T>
T read_order_file(const std::filesystem::path& path) {
  T order;
  const nlohmann::json json = parse_json(read_file(path, kOrderLimitBytes), "the order");
  json_fields::read(json, json_fields::Path{nullptr, "order"}, order);
  return order;
}

template <class T>
void write_order_file(const std::filesystem::path& path, const T& order) {
  write_file_atomically(path, dump_json(json_fields::write(order)));
}

}  // namespace

std::string_view to_string(Purpose purpose) {
  switch (purpose) {
    case Purpose::profile:
      return "profile";
    case Purpose::links:
      return "links";
    case Purpose::doctor:
      return "doctor";
    case Purpose::train:
      return "train";
  }
  return "profile";
}

void write_order(const std::filesystem::path& path, const Order& order) { write_order_file(path, order); }
Order read_order(const std::filesystem::path& path) { return read_order_file<Order>(path); }

void write_script_order(const std::filesystem::path& path, const ScriptOrder& order) { write_order_file(path, order); }
ScriptOrder read_script_order(const std::filesystem::path& path) { return read_order_file<ScriptOrder>(path); }

}  // namespace stash
