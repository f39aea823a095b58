#include "stash/measure/script/session_binding.h"

#include <fcntl.h>
#include <pybind11/stl.h>

#include "stash/core/error.h"
#include "stash/input/pages/file_pages.h"
#include "stash/launch/cluster/launched_process.h"
#include "stash/launch/group_names.h"
#include "stash/launch/protocol/script_order.h"
#include "stash/launch/script_job.h"
#include "stash/measure/python_objects.h"
#include "stash/measure/script/script_session.h"
#include "stash/measure/script/script_watch.h"
#include "stash/measure/team.h"

namespace py = pybind11;

namespace stash {
namespace {

// The interpreter lock is taken for a call from the ruler's thread. What the hook is told is what it has to do, not the
// condition's name: which one means what is known in C++ alone.
ScriptHooks guarded(py::function enter, py::function finish, py::function change) {
  return {.enter =
              [enter = std::move(enter)](Condition condition, int steps, WeightsAfter weights) {
                const py::gil_scoped_acquire interpreter;
                return enter(py::arg("apart") = weights == WeightsAfter::apart,
                             py::arg("drifts") = weights != WeightsAfter::matching,
                             py::arg("reads_input") = uses_input(condition),
                             py::arg("copies") = condition == Condition::staged,
                             py::arg("cold") = condition == Condition::cold, py::arg("steps") = steps)
                    .cast<std::optional<double>>();
              },
          .finish =
              [finish = std::move(finish)] {
                const py::gil_scoped_acquire interpreter;
                finish();
              },
          .change =
              [change = std::move(change)](const std::string& name) {
                const py::gil_scoped_acquire interpreter;
                std::string why;
                try {
                  why = change(name).cast<std::optional<std::string>>().value_or("");
                } catch (const py::error_already_set& error) {
                  why = error.what();
                }
                if (!why.empty()) throw Error(why);
              }};
}

int open_events(const std::string& path) {
  return path.empty() ? -1 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Lives as long as the process: the ruler's thread may outlast the interpreter.
ScriptSession* make_session(py::function enter, py::function finish, py::function change, const std::string& events) {
  return new ScriptSession(guarded(std::move(enter), std::move(finish), std::move(change)), open_events(events));
}

// This rank's groups have the numbers that its switches know them by, in the order in which it showed them.
std::map<int, std::string> names_of(const NamedGroups& named, int rank, const std::vector<int>& numbers) {
  const std::vector<int>& places = named.places.at(static_cast<std::size_t>(rank));
  std::map<int, std::string> names;
  for (std::size_t i = 0; i < std::min(places.size(), numbers.size()); ++i) {
    names[numbers[i]] = named.groups.at(static_cast<std::size_t>(places[i])).name;
  }
  return names;
}

// What the interpreter says of fixes: the variant's name, and why it cannot be tried; empty: it can.
using ShownFixes = std::vector<std::pair<std::string, std::string>>;

std::vector<FixOffer> offers_of(const ShownFixes& shown) {
  std::vector<FixOffer> offers;
  for (const auto& [name, why_not] : shown) {
    if (const std::optional<Fix> fix = fix_of(name)) offers.push_back({*fix, why_not});
  }
  return offers;
}

void start(ScriptSession& session, const std::string& order_file, const Team& team, const py::object& control,
           const std::string& device, ShownJob shown, const std::vector<int>& group_numbers,
           std::map<std::string, std::string> versions, const Gpus& gpus, const ShownFixes& fixes) {
  const ScriptOrder order = read_script_order(order_file);
  const c10::Device torch_device(device);
  shown.ranks = static_cast<int>(team.places().size());
  shown.nodes = team.nodes();
  shown.device = c10::DeviceTypeName(torch_device.type(), /*lower_case=*/true);
  const NamedGroups named = name_groups(team.groups(), team.places());
  session.start({.job = script_job(order.job, shown),
                 .control = control.is_none() ? nullptr : torch_object<c10d::Backend>(control),
                 .device = torch_device,
                 .first_on_node = team.first_on_node(),
                 .rank = team.rank(),
                 .places = team.places(),
                 .groups = named.groups,
                 .group_names = names_of(named, team.rank(), group_numbers),
                 .machine = machine_event(std::move(versions), gpus),
                 .warnings = script_warnings(shown),
                 .keep_training = order.keep_training,
                 .records_work = order.records_work,
                 .fixes = order.tries ? std::optional(offers_of(fixes)) : std::nullopt});
  if (!team.reports_with_rank_0()) session.send(ElsewhereEvent{team.places().front().host});
}

// Variables that contradict each other are no reason to stop the user's script.
std::pair<int, int> launched_as() {
  try {
    const std::optional<LaunchedProcess> launched = find_launched_process(environment_variable);
    if (launched && !launched->starts_nodes) return {launched->rank, launched->size};
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
      .def(py::init(&make_session), py::arg("enter"), py::arg("finish"), py::arg("change"), py::arg("events"))
      .def(
          "add_group",
          [](ScriptSession& session, const py::object& group, const std::string& device, int number) {
            session.add_group(group_of(group), c10::Device(device), number);
          },
          py::arg("group"), py::arg("device"), py::arg("number"))
      .def("before_group", &ScriptSession::before_group, py::call_guard<py::gil_scoped_release>())
      .def("name_group", &ScriptSession::name_group, py::arg("number"), py::arg("description"))
      .def("start", &start, py::arg("order_file"), py::arg("team"), py::arg("control"), py::arg("device"),
           py::arg("shown"), py::arg("group_numbers"), py::arg("versions"), py::arg("gpus"), py::arg("fixes"))
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
      .def("warn", &ScriptSession::warn);
  py::class_<ShownJob>(module, "ShownJob", "What a script has shown of itself; None: unknown.")
      .def(py::init([](std::optional<std::string> backend, std::optional<std::string> dtype, std::optional<int> batch,
                       int workers, int prefetch, bool reads_batches, bool reads_files) {
             ShownJob shown;
             shown.backend = std::move(backend);
             shown.dtype = std::move(dtype);
             shown.batch = batch;
             shown.workers = workers;
             shown.prefetch = prefetch;
             shown.reads_batches = reads_batches;
             shown.reads_files = reads_files;
             return shown;
           }),
           py::kw_only(), py::arg("backend"), py::arg("dtype"), py::arg("batch"), py::arg("workers"),
           py::arg("prefetch"), py::arg("reads_batches"), py::arg("reads_files"));
  py::class_<ScriptWatch, std::unique_ptr<ScriptWatch, py::nodelete>>(module, "Watch",
                                                                      "Counts and times; changes nothing.")
      .def(py::init([](const std::string& events, int rank) { return new ScriptWatch(open_events(events), rank); }),
           py::arg("events"), py::arg("rank"))
      .def(
          "add_group",
          [](ScriptWatch& watch, const py::object& group, const std::string& device, int number) {
            watch.add_group(group_of(group), c10::Device(device), number);
          },
          py::arg("group"), py::arg("device"), py::arg("number"))
      .def("step_end", &ScriptWatch::step_end)
      .def("add_wait_ns", &ScriptWatch::add_wait_ns)
      .def("end", &ScriptWatch::end, py::call_guard<py::gil_scoped_release>());
  module.def("launched_as", &launched_as, "(rank, size) as the launcher says, (0, 1) without one.");
  module.def("evict_files", &evict_files, py::call_guard<py::gil_scoped_release>(),
             "Takes the files' pages out of the page cache; the share that is still cached, or None.");
  module.def("load_files", &load_files, py::call_guard<py::gil_scoped_release>(),
             "Reads the files into the page cache; the share that is cached then, or None.");
}

}  // namespace stash
