#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "stash/core/error.h"
#include "stash/measure/engine/layer_runner.h"
#include "stash/measure/python_objects.h"
#include "stash/measure/rank_binding.h"
#include "stash/measure/script/session_binding.h"
#include "stash/measure/serving/worker_binding.h"
#include "stash/measure/switch/install_switch.h"

namespace py = pybind11;

namespace stash {
namespace {

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
  void set_link(double bytes_per_s) { backend_->set_link(bytes_per_s, nullptr); }

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
  using stash::Switch;
  module.doc() = "What runs inside a rank: the engine, the switch backend and the ruler.";
  py::register_exception<stash::UsageError>(module, "UsageError",
                                            py::register_exception<stash::Error>(module, "Error", PyExc_RuntimeError));
  stash::bind_rank(module);
  py::class_<Switch>(module, "Switch", "Takes the place of a group's backend for a device.")
      .def(py::init<const py::object&, const std::string&>(), py::arg("group"), py::arg("device"))
      .def("remove", &Switch::remove, "The real backend is back in its place.")
      .def("reinstall", &Switch::reinstall)
      .def("set_position", &Switch::set_position)
      .def("set_node", &Switch::set_node, py::arg("group"), py::arg("ranks"))
      .def("set_link", &Switch::set_link, py::arg("bytes_per_s"))
      .def("counters", &Switch::counters);
  stash::bind_session(module);
  stash::bind_worker(module);
  py::class_<LayerRunner>(module, "LayerRunner", "A model's layers one at a time, on the meta device.")
      .def(py::init<const std::string&, int, std::optional<int>, int>(), py::arg("model"), py::arg("batch"),
           py::arg("image_size") = py::none(), py::arg("seq_len") = 0)
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
