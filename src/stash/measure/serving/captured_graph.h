#pragma once

#include <pybind11/pybind11.h>

#include <functional>

namespace stash {

// Memory that graphs share of which one runs at a time.
class GraphPool {
 public:
  GraphPool();  // takes the interpreter lock, as the end does
  ~GraphPool();
  GraphPool(const GraphPool&) = delete;
  GraphPool& operator=(const GraphPool&) = delete;
  const pybind11::object& handle() const { return handle_; }

 private:
  pybind11::object handle_;
};

// Work of a device, recorded once by torch's CUDAGraph on the current stream and launched as one.
class CapturedGraph {
 public:
  CapturedGraph(const std::function<void()>& work, const GraphPool& pool);  // takes the interpreter lock
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void launch(void* stream) const;

 private:
  pybind11::object graph_;
  void* executable_ = nullptr;  // where torch tells it; else Python launches
};

}  // namespace stash
