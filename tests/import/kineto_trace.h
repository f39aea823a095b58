#pragma once

#include <fmt/format.h>

#include <string>

namespace stash::testing_support {

// What may differ between versions of the profiler.
struct KinetoStyle {
  bool whole_us = false;  // before torch 2.2 times were whole microseconds
  bool quoted = false;    // some tools that rewrite traces quote times
  const char* all_reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
};

// Two steps of 1000 µs of rank 1 of 4 on a GPU, laid out as torch.profiler lays out its file: header, names of
// processes and threads, what the CPU did, then what the GPU did with its flows, last the marks on the GPU. A step:
// 0-100 wait for a batch, 100-160 copy, 160-760 compute, 500-900 all-reduce on a second stream, 900-940 nothing on the
// GPU while a kernel is launched, 940-1000 a kernel of a name that nobody knows.
class KinetoTrace {
 public:
  explicit KinetoTrace(KinetoStyle style = {}) : style_(style) {}

  std::string text() {
    head();
    for (int step = 0; step < kSteps; ++step) cpu(step);
    for (int step = 0; step < kSteps; ++step) gpu(step);
    for (int step = 0; step < kSteps; ++step) marks(step);
    return text_ +
           "\n  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": 3917543588000.000, \"dur\": 9000.125,\n    \"pid\": "
           "\"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      "
           "\"Op count\": 0\n    }\n  },\n  {\n    \"ph\": \"i\", \"s\": \"g\",\n    \"name\": \"Record Window End\", "
           "\"pid\": \"\", \"tid\": \"\", \"ts\": 3917543598000.125\n  }\n  ],\n  \"traceName\": \"trace.json\"\n}";
  }

 private:
  static constexpr int kSteps = 2;
  static constexpr std::int64_t kStart_us = 3917543588000;

  std::string time(std::int64_t us) const {
    const char* const quote = style_.quoted ? "\"" : "";
    return fmt::format("{}{}{}{}", quote, us, style_.whole_us ? "" : ".000", quote);
  }

  void head() {
    text_ =
        "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA A100-SXM4-"
        "40GB\", \"totalGlobalMem\": 42298834944,\n      \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 108\n   "
        " "
        "}\n  ],\n  \"cupti_version\": 24,\n  \"cuda_runtime_version\": 12040,\n  \"distributedInfo\": {\"backend\": "
        "\"nccl\", \"rank\": 1, \"world_size\": 4, \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": "
        "\"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": 4, \"ranks\": [0, 1, 2, 3]}], "
        "\"nccl_version\": \"2.21.5\"},\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": "
        "1790857026000000000,\n  \"traceEvents\": [\n  {\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": "
        "3917543588000.000, \"pid\": 4242, \"tid\": 0,\n    \"args\": {\n      \"name\": \"python\"\n    }\n  },";
  }

  void event(const char* category, const std::string& name, int process, int thread, std::int64_t start_us,
             std::int64_t us, const std::string& arguments) {
    text_ += fmt::format(
        "\n  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {},\n    \"ts\": {}, "
        "\"dur\": {},\n    \"args\": {{\n      {}\n    }}\n  }},",
        category, name, process, thread, time(kStart_us + start_us), time(us), arguments);
  }

  void annotation(const std::string& name, std::int64_t start_us, std::int64_t us) {
    event("user_annotation", name, 4242, 4242, start_us, us, "\"External id\": 7, \"Ev Idx\": 11");
  }

  void op(const char* name, std::int64_t start_us, std::int64_t us) {
    event("cpu_op", name, 4242, 4242, start_us, us,
          "\"External id\": 9,\"Record function id\": 0, \"Sequence number\": 3, \"Fwd thread id\": 0, \"Ev Idx\": 5");
  }

  void device(const char* category, const std::string& name, int stream, std::int64_t start_us, std::int64_t us) {
    ++id_;
    event("cuda_runtime", "cudaLaunchKernel", 4242, 4242, start_us - 40, 5,
          fmt::format("\"External id\": {0}, \"cbid\": 211, \"correlation\": {0}", id_));
    event(
        category, name, 0, stream, start_us, us,
        fmt::format("\"External id\": {0}, \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": {1}, "
                    "\"correlation\": {0},\n      \"registers per thread\": 96, \"shared memory\": 0,\n      \"blocks "
                    "per SM\": 17.3, \"warps per SM\": 138.9,\n      \"grid\": [1875, 1, 1], \"block\": [256, 1, 1]",
                    id_, stream));
    flow('s', 4242, 4242, start_us - 40);
    flow('f', 0, stream, start_us);
  }

  void flow(char phase, int process, int thread, std::int64_t us) {
    text_ += fmt::format(
        "\n  {{\n    \"ph\": \"{}\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {},\n    \"cat\": \"ac2g\", "
        "\"name\": "
        "\"ac2g\"{}\n  }},",
        phase, id_, process, thread, time(kStart_us + us), phase == 'f' ? ", \"bp\": \"e\"" : "");
  }

  void cpu(int step) {
    const std::int64_t start = step * 1000;
    annotation(fmt::format("ProfilerStep#{}", step + 5), start, 1000);
    annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", start, 100);
    annotation("nccl:all_reduce", start + 300, 20);
    op("record_param_comms", start + 301, 15);
    op("aten::conv2d", start + 120, 60);
    op("my::op", start + 890, 60);
  }

  void gpu(int step) {
    const std::int64_t start = step * 1000;
    device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, start + 100, 60);
    device("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)", 7,
           start + 160, 600);
    device("kernel", style_.all_reduce, 20, start + 500, 400);
    device("kernel", "my_secret_op", 7, start + 940, 60);
  }

  void marks(int step) {
    const std::int64_t start = step * 1000;
    const std::string name = fmt::format("ProfilerStep#{}", step + 5);
    event("gpu_user_annotation", name, 0, 7, start + 100, 900, "\"External id\": 7");
    event("gpu_user_annotation", name, 0, 20, start + 500, 400, "\"External id\": 7");
    event("gpu_user_annotation", "nccl:all_reduce", 0, 20, start + 500, 400, "\"External id\": 7");
  }

  KinetoStyle style_;
  std::string text_;
  int id_ = 0;
};

}  // namespace stash::testing_support
