#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "stash/measure/rank.h"

namespace py = pybind11;

namespace stash {
namespace {

// The group behind torch's own Python object. The pointer is taken without the holder, whose type differs between
// versions of torch.
c10::intrusive_ptr<c10d::ProcessGroup> group_of(const py::object& object) {
  auto* group = object.cast<c10d::ProcessGroup*>();
  return c10::intrusive_ptr<c10d::ProcessGroup>::unsafe_reclaim_from_nonowning(group);
}

int run(const py::object& group, const py::object& control, const std::string& job_json,
        const std::string& machine_json, int local_rank, std::int64_t started_ns) {
  const RankSetup setup{.job_json = job_json, .machine_json = machine_json, .group = group_of(group),
                        .control = group_of(control), .local_rank = local_rank, .started_ns = started_ns};
  const py::gil_scoped_release no_interpreter;
  return run_rank(setup);
}

}  // namespace
}  // namespace stash

PYBIND11_MODULE(_stash, module) {
  module.doc() = "What runs inside a rank: the engine, the switch backend and the ruler.";
  module.def("run_rank", &stash::run, py::arg("group"), py::arg("control"), py::arg("job"), py::arg("machine"),
             py::arg("local_rank"), py::arg("started_ns"));
}
