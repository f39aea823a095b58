#include "stash/measure/serving/captured_graph.h"

#include <cstdint>

#include "stash/measure/serving/cuda_runtime.h"

namespace py = pybind11;

namespace stash {

GraphPool::GraphPool() {
  const py::gil_scoped_acquire interpreter;
  handle_ = py::module_::import("torch").attr("cuda").attr("graph_pool_handle")();
}

GraphPool::~GraphPool() {
  const py::gil_scoped_acquire interpreter;
  handle_ = {};
}

CapturedGraph::CapturedGraph(const std::function<void()>& work, const GraphPool& pool) {
  const py::gil_scoped_acquire interpreter;
  graph_ = py::module_::import("torch").attr("cuda").attr("CUDAGraph")();
  graph_.attr("capture_begin")(py::arg("pool") = pool.handle(), py::arg("capture_error_mode") = "thread_local");
  try {
    const py::gil_scoped_release no_interpreter;
    work();
  } catch (...) {
    graph_.attr("capture_end")();
    throw;
  }
  graph_.attr("capture_end")();
  if (py::hasattr(graph_, "raw_cuda_graph_exec")) {
    executable_ = reinterpret_cast<void*>(graph_.attr("raw_cuda_graph_exec")().cast<std::uintptr_t>());
  }
}

CapturedGraph::~CapturedGraph() {
  const py::gil_scoped_acquire interpreter;
  graph_ = {};
}

void CapturedGraph::launch(void* stream) const {
  if (executable_ != nullptr) {
    const CudaRuntime& cuda = CudaRuntime::get();
    cuda.check(cuda.graph_launch(executable_, stream), "a CUDA graph could not be launched");
    return;
  }
  const py::gil_scoped_acquire interpreter;
  graph_.attr("replay")();
}

}  // namespace stash
