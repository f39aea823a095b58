#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdlib>

#include "stash/core/error.h"
#include "stash/launch/rank_variables.h"
#include "stash/measure/install_switch.h"
#include "stash/measure/layer_runner.h"
#include "stash/measure/python_objects.h"
#include "stash/measure/rank.h"
#include "stash/measure/session_binding.h"

namespace py = pybind11;

namespace stash {
namespace {

int number_in(const char* variable, int missing) {
  const char* text = std::getenv(variable);
  return text == nullptr ? missing : std::atoi(text);
}

// A rank from its start on: it meets the others, then measures with them.
class Rank {
 public:
  Rank()
      : shared_(SharedState::open(number_in(kSharedFdVariable, -1), number_in(kTeamCountVariable, 1))),
        state_(shared_.rank(number_in(kTeamIndexVariable, 0))) {}

  void beat() { state_.beat(Phase::waiting); }

  // The ranks of each node.
  std::vector<std::vector<int>> meet(const py::object& store, int rank, int size, const std::string& member_json,
                                     double deadline_s) {
    members_.emplace(torch_object<c10d::Store>(store), rank, size);
    const py::gil_scoped_release no_interpreter;
    members_->meet(member_json, deadline_s, state_);
    std::vector<std::vector<int>> nodes;
    for (int node = 0; node < members_->nodes(); ++node) nodes.push_back(members_->ranks_of_node(node));
    return nodes;
  }

  int measure(const py::object& group, const py::object& control, const py::object& node, const std::string& job_json,
              const std::string& machine_json, int local_rank, std::int64_t started_ns) {
    RankSetup setup{.job_json = job_json,
                    .machine_json = machine_json,
                    .group = group_of(group),
                    .control = group_of(control),
                    .node = node.is_none() ? nullptr : group_of(node),
                    .members = &members_.value(),
                    .shared = &shared_,
                    .team_index = number_in(kTeamIndexVariable, 0),
                    .speaks = number_in(kTeamIndexVariable, 0) == 0,
                    .all_are_ours = number_in(kTeamCountVariable, 1) == group_of(group)->getSize(),
                    .local_rank = local_rank,
                    .started_ns = started_ns};
    const py::gil_scoped_release no_interpreter;
    return run_rank(setup);
  }

  // After an order that was carried out.
  void wait_for_order() {
    const std::uint32_t order = shared_.order();
    state_.finished.store(order);
    shared_.wait_for_next(order);
  }

 private:
  SharedState shared_;
  RankState& state_;
  std::optional<Members> members_;
};

SwitchPosition parse_position(const std::string& name) {
  if (name == "pass") return SwitchPosition::pass;
  if (name == "node") return SwitchPosition::node;
  if (name == "off") return SwitchPosition::off;
  throw UsageError("a switch has the positions pass, node and off, not '" + name + "'");
}

// The switch of one group, from Python.
class Switch {
 public:
  Switch(const py::object& group, const std::string& device)
      : log_(std::make_shared<CollectiveLog>()),
        group_(group_of(group)),
        device_(device),
        backend_(install_switch(group_, device_, log_)) {
    log_->select(Condition::joined, true);
  }

  void remove() { remove_switch(group_, device_, *backend_); }
  void reinstall() { reinstall_switch(group_, device_, backend_); }
  void set_position(const std::string& name) { backend_->set_position(parse_position(name)); }
  void set_node(const py::object& group, std::vector<int> ranks) {
    backend_->set_node(group_of(group)->getBackend(device_.type()), std::move(ranks));
  }
  void set_link(double bytes_per_s) { backend_->set_link(bytes_per_s); }

  // (op number, bytes, count, seconds) of what went through and was not switched off.
  std::vector<std::tuple<std::string, std::int64_t, std::int64_t, double>> counters() {
    backend_->collect_device_times();
    std::vector<std::tuple<std::string, std::int64_t, std::int64_t, double>> rows;
    for (const CollectiveSummary& row : log_->summary(0, collective_name)) {
      rows.emplace_back(row.op, row.bytes, row.count, row.total_s);
    }
    return rows;
  }

 private:
  std::shared_ptr<CollectiveLog> log_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  c10::Device device_;
  c10::intrusive_ptr<SwitchBackend> backend_;
};

}  // namespace
}  // namespace stash

PYBIND11_MODULE(_stash, module) {
  using stash::LayerRunner;
  using stash::Rank;
  using stash::Switch;
  module.doc() = "What runs inside a rank: the engine, the switch backend and the ruler.";
  py::register_exception<stash::UsageError>(module, "UsageError",
                                            py::register_exception<stash::Error>(module, "Error", PyExc_RuntimeError));
  py::class_<Rank>(module, "Rank", "A rank of a built-in job.")
      .def(py::init<>())
      .def("beat", &Rank::beat, "Shows the supervisor that it is alive.")
      .def("meet", &Rank::meet, py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("member"),
           py::arg("deadline_s"), "Waits for all ranks; the ranks of each node.")
      .def("measure", &Rank::measure, py::arg("group"), py::arg("control"), py::arg("node"), py::arg("job"),
           py::arg("machine"), py::arg("local_rank"), py::arg("started_ns"), "The exit code.")
      .def("wait_for_order", &Rank::wait_for_order, py::call_guard<py::gil_scoped_release>(),
           "Tells the supervisor that this rank is free, and returns when there is something new to do.");
  py::class_<Switch>(module, "Switch", "Takes the place of a group's backend for a device.")
      .def(py::init<const py::object&, const std::string&>(), py::arg("group"), py::arg("device"))
      .def("remove", &Switch::remove, "The real backend is back in its place.")
      .def("reinstall", &Switch::reinstall)
      .def("set_position", &Switch::set_position)
      .def("set_node", &Switch::set_node, py::arg("group"), py::arg("ranks"))
      .def("set_link", &Switch::set_link, py::arg("bytes_per_s"))
      .def("counters", &Switch::counters);
  stash::bind_session(module);
  py::class_<LayerRunner>(module, "LayerRunner", "A model's layers one at a time, on the meta device.")
      .def(py::init<const std::string&, int, int, int>(), py::arg("model"), py::arg("batch"),
           py::arg("image_size") = 224, py::arg("seq_len") = 0)
      // torch's autograd engine refuses to run under the interpreter lock.
      .def("forward", &LayerRunner::forward, py::call_guard<py::gil_scoped_release>())
      .def("backward", &LayerRunner::backward, py::call_guard<py::gil_scoped_release>())
      .def("output_shape", &LayerRunner::output_shape)
      .def("layers", [](const LayerRunner& runner) {
        py::list rows;
        for (const stash::Layer& layer : runner.graph().layers) {
          py::dict row;
          row["name"] = layer.name;
          row["op"] = std::string(to_string(layer.op));
          row["output"] = layer.output;
          row["forward_ops"] = layer.cost.forward_ops;
          row["backward_ops"] = layer.cost.backward_ops;
          row["groups"] = layer.groups;
          rows.append(row);
        }
        return rows;
      });
}
