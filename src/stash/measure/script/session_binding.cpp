#include "stash/measure/session_binding.h"

#include <fcntl.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/input/file_pages.h"
#include "stash/launch/node_identity.h"
#include "stash/launch/placement.h"
#include "stash/measure/python_objects.h"
#include "stash/measure/script_session.h"
#include "stash/measure/script_watch.h"

namespace py = pybind11;

namespace stash {
namespace {

using EnterHook = std::function<std::optional<double>(const std::string& condition, int steps)>;

// The interpreter lock is taken for a call from the ruler's thread.
ScriptHooks guarded(EnterHook enter, std::function<void()> finish) {
  return {.enter =
              [enter = std::move(enter)](Condition condition, int steps) {
                const py::gil_scoped_acquire interpreter;
                return enter(std::string(to_string(condition)), steps);
              },
          .finish =
              [finish = std::move(finish)] {
                const py::gil_scoped_acquire interpreter;
                finish();
              }};
}

int open_events(const std::string& path) {
  return path.empty() ? -1 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Lives as long as the process: the ruler's thread may outlast the interpreter.
ScriptSession* make_session(EnterHook enter, std::function<void()> finish, const std::string& events) {
  return new ScriptSession(guarded(std::move(enter), std::move(finish)), open_events(events));
}

void start(ScriptSession& session, const std::string& job_json, const py::object& control, const std::string& device,
           int rank, bool first_on_node, const std::vector<std::string>& hosts, const std::vector<int>& nodes,
           const std::string& machine_json, bool keep_training) {
  ScriptStart start{.job = job_from_json(nlohmann::json::parse(job_json)),
                    .control = nullptr,
                    .device = c10::Device(device),
                    .first_on_node = first_on_node,
                    .rank = rank,
                    .places = {},
                    .machine_json = machine_json,
                    .keep_training = keep_training};
  for (std::size_t i = 0; i < nodes.size(); ++i) start.places.push_back({.host = hosts.at(i), .node = nodes[i]});
  if (!control.is_none()) start.control = torch_object<c10d::Backend>(control);
  session.start(std::move(start));
}

// Variables that contradict each other are no reason to stop somebody's script.
std::pair<int, int> launched_as() {
  try {
    const std::optional<Placement> placement = find_placement(environment_variable);
    if (placement && !placement->starts_nodes) return {placement->rank, placement->size};
  } catch (const UsageError&) {
  }
  return {0, 1};
}

bool step_end(ScriptSession& session) {
  if (!session.measuring()) return session.step_end();
  const py::gil_scoped_release no_interpreter;
  return session.step_end();
}

}  // namespace

void bind_session(py::module_& module) {
  py::class_<ScriptSession, std::unique_ptr<ScriptSession, py::nodelete>>(module, "Session",
                                                                          "A training script under the ruler.")
      .def(py::init(&make_session), py::arg("enter"), py::arg("finish"), py::arg("events"))
      .def("add_group", [](ScriptSession& session, const py::object& group,
                           const std::string& device) { session.add_group(group_of(group), c10::Device(device)); })
      .def("start", &start, py::arg("job"), py::arg("control"), py::arg("device"), py::arg("rank"),
           py::arg("first_on_node"), py::arg("hosts"), py::arg("nodes"), py::arg("machine"), py::arg("keep_training"))
      .def("set_node",
           [](ScriptSession& session, const py::object& group, const std::string& device, const py::object& backend,
              std::vector<int> ranks) {
             session.set_node(group_of(group), c10::Device(device), torch_object<c10d::Backend>(backend),
                              std::move(ranks));
           })
      .def("step_end", &step_end, "After each step. True: the script may end.")
      .def("wait_begins", &ScriptSession::wait_begins)
      .def("add_wait_ns", &ScriptSession::add_wait_ns)
      .def("end", &ScriptSession::end, py::call_guard<py::gil_scoped_release>())
      .def("measuring", &ScriptSession::measuring)
      .def("collectives", &ScriptSession::collectives)
      .def("warn", [](const ScriptSession& session, const std::string& text) { session.events().warning(text); });
  py::class_<ScriptWatch, std::unique_ptr<ScriptWatch, py::nodelete>>(module, "Watch",
                                                                      "Counts and times; changes nothing.")
      .def(py::init([](const std::string& events, int rank) { return new ScriptWatch(open_events(events), rank); }),
           py::arg("events"), py::arg("rank"))
      .def("add_group", [](ScriptWatch& watch, const py::object& group,
                           const std::string& device) { watch.add_group(group_of(group), c10::Device(device)); })
      .def("step_end", &ScriptWatch::step_end)
      .def("add_wait_ns", &ScriptWatch::add_wait_ns)
      .def("end", &ScriptWatch::end, py::call_guard<py::gil_scoped_release>());
  module.def(
      "node_identity",
      [](const std::string& given_name) {
        const NodeIdentity identity = node_identity(given_name);
        return std::make_pair(identity.host, identity.key);
      },
      "(host, what ranks of the same node have in common)");
  module.def("launched_as", &launched_as, "(rank, size) as the launcher says, (0, 1) without one.");
  module.def("evict_files", &evict_files, py::call_guard<py::gil_scoped_release>(),
             "Takes the files' pages out of the page cache; the share that is still cached, or None.");
  module.def("load_files", &load_files, py::call_guard<py::gil_scoped_release>(),
             "Reads the files into the page cache; the share that is cached then, or None.");
}

}  // namespace stash
