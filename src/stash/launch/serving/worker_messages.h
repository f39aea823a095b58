#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stash {

// What a worker's interpreter is told: which model to load, where. File descriptors are inherited.
struct WorkerOrder {
  std::string name;
  std::string spec;  // "resnet50", "a.pt2", "py:my_model.py:load"
  std::string device = "cpu";
  std::string dtype = "fp32";  // of a built-in network
  std::int64_t seed = 1;       // of its weights
  int most_batch = 32;
  int threads = 1;
  double measure_s = 5;  // to spend on the times of batches
  bool uses_graphs = true;
  bool divides_device = false;  // models have parts of a GPU
  int board_fd = -1;
  int arena_fd = -1;
  std::int64_t arena_bytes = 0;
  int order_fd = -1;  // an eventfd: a batch is to be done
  int done_fd = -1;   // an eventfd: it is
  int event_fd = -1;  // a pipe: WorkerReady or WorkerFailed, as a line of JSON
};

struct WorkerTensor {
  std::string name;
  std::string datatype;             // of the Open Inference Protocol
  std::vector<std::int64_t> shape;  // of a sample
  std::int64_t at = 0;              // where the batch's is in the shared memory
};

struct WorkerTime {
  int batch = 1;
  double s = 0;
};

// T(b) on the first `parts` of a device's parts.
struct WorkerPartTimes {
  int parts = 1;
  std::vector<WorkerTime> times;
};

// The model is loaded and measured, and its worker waits for batches.
struct WorkerReady {
  std::string platform;  // "resnet50 in fp32 on the CPU"
  std::vector<WorkerTensor> inputs;
  std::vector<WorkerTensor> outputs;
  std::vector<WorkerTime> times;
  int most_batch = 1;
  double load_s = 0;
  std::int64_t board_bytes = 0;
  std::int64_t pageable_shift = 0;          // from an input's place to one that is not pinned; 0: there is none
  std::vector<WorkerPartTimes> part_times;  // by parts from 1 on; empty: the device is not divided
};

struct WorkerFailed {
  std::string kind;  // usage, environment or memory
  std::string message;
};

struct WorkerNews {
  std::vector<WorkerReady> ready;    // one or none
  std::vector<WorkerFailed> failed;  // one or none
};

std::string worker_order_text(const WorkerOrder& order);
WorkerNews parse_worker_news(std::string_view line);  // Error where it is none

}  // namespace stash
