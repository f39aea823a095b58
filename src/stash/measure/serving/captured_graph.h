#pragma once

#include <pybind11/pybind11.h>

#include <functional>

namespace stash {

// Work of a device, recorded once by torch's CUDAGraph on the current stream and launched as one.
class CapturedGraph {
 public:
  explicit CapturedGraph(const std::function<void()>& work);  // takes the interpreter lock
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void launch(void* stream) const;

 private:
  pybind11::object graph_;
  void* executable_ = nullptr;  // where torch tells it; else Python launches
};

}  // namespace stash
