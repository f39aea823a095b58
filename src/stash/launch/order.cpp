#include "stash/launch/order.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stash/core/file.h"
#include "stash/core/profile_json.h"
#include "stash/core/version.h"
#include "stash/launch/fingerprint.h"

namespace stash {
namespace {

// What the other ranks compare: data may lie elsewhere on every host, and hosts may have more or fewer cores.
nlohmann::json member_json(const Job& job, const NodeIdentity& node) {
  Job comparable = job;
  comparable.data.clear();
  comparable.workers = 0;
  return nlohmann::json{
      {"host", node.host}, {"node", node.key}, {"stash", kVersion}, {"job", fingerprint(to_json(comparable).dump())}};
}

// A machine that stands for several: their ranks reach each other as those of nodes would, by other collectives.
NodeIdentity node_of(int index, const LocalRunOptions& options) {
  if (options.nodes <= 1) return options.node;
  const std::string number = fmt::format("#{}", index * options.nodes / options.team.count);
  return {options.node.host + number, options.node.key + number};
}

}  // namespace

void write_order(const std::filesystem::path& path, const Job& job, const LocalRunOptions& options,
                 std::int64_t started_ns, const std::filesystem::path& store) {
  nlohmann::json members = nlohmann::json::array();
  for (int index = 0; index < options.team.count; ++index) members.push_back(member_json(job, node_of(index, options)));
  nlohmann::json order{
      {"job", to_json(job)}, {"members", members}, {"started_ns", started_ns}, {"store_file", nullptr}};
  if (options.team.address.empty()) order["store_file"] = store.string();
  write_file_atomically(path, order.dump());
}

}  // namespace stash
