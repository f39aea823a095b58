#include "stash/fleet/live/local/local_state.h"

#include <fmt/format.h>

#include "stash/core/file.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {
namespace {

using json_fields::FieldsOf;

constexpr std::size_t kMostStateBytes = 16 << 20;

}  // namespace

template <class V, FieldsOf<ProcessIdentity> T>
void fields(V& visit, T& process) {
  visit("pid", process.pid, 0);
  visit("start_ticks", process.start_ticks, 0);
}

template <class V, FieldsOf<LocalServer> T>
void fields(V& visit, T& server) {
  visit("process", server.process);
  visit("port", server.port, 0);
}

template <class V, FieldsOf<LocalMachine> T>
void fields(V& visit, T& machine) {
  visit("id", machine.id);
  visit("type", machine.type, 0);
  visit("spot", machine.spot);
  visit("state", machine.state);
  visit("ordered_ns", machine.ordered_ns);
  visit("ready_ns", machine.ready_ns);
  visit("changed_ns", machine.changed_ns);
  visit("servers", machine.servers);
}

template <class V, FieldsOf<LocalState> T>
void fields(V& visit, T& state) {
  visit("boot", state.boot);
  visit("port", state.port, 0);
  visit("next", state.next, 1);
  visit("proxy", state.proxy);
  visit("machines", state.machines);
}

namespace {

template <class T>
std::optional<T> read_if_there(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const nlohmann::json json = parse_json(read_file(file, kMostStateBytes), file.string());
  T value;
  json_fields::read(json, json_fields::Path{nullptr, file.native()}, value);
  return value;
}

}  // namespace

std::optional<LocalState> read_local_state(const std::filesystem::path& file) {
  return read_if_there<LocalState>(file);
}

std::string local_state_text(const LocalState& state) { return dump_json(json_fields::write(state)) + "\n"; }

std::optional<LocalServer> read_announcement(const std::filesystem::path& file) {
  return read_if_there<LocalServer>(file);
}

void write_announcement(const std::filesystem::path& file, const LocalServer& server) {
  write_file_atomically(file, dump_json(json_fields::write(server)) + "\n");
}

}  // namespace stash
