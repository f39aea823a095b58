#include "synthetic_trace.h"

#include <fmt/format.h>
#include <fmt/os.h>

#include <array>
#include <string>

namespace {

constexpr int kLayers = 60;
constexpr double kOp_us = 9.0, kKernel_us = 31.25;

constexpr std::array<const char*, 6> kOps{"aten::conv2d",
                                          "aten::convolution",
                                          "aten::_convolution",
                                          "aten::batch_norm",
                                          "aten::add_",
                                          "autograd::engine::evaluate_function: "
                                          "ConvolutionBackward0"};
constexpr std::array<const char*, 4> kKernels{
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_warpsize2x2x1_g1_"
    "tensor16x8x8_kernel_cudnn",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
    ">(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnn::bn_fw_tr_1C11_args, "
    "cudnnTensorStruct*)",
    "ampere_sgemm_128x64_nn"};
constexpr const char* kCollective = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(fmt::output_file(path.string())) {
    write(
        "{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [],\n  \"distributedInfo\": {{\"backend\": \"nccl\", "
        "\"rank\": 0, \"world_size\": 8}},\n  \"traceEvents\": [");
  }

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t events() const { return events_; }

  void event(const char* category, const std::string& name, int process, int thread, double start_us, double us,
             const std::string& arguments) {
    write(
        "{}\n  {{\n    \"ph\": \"X\",\n    \"cat\": \"{}\",\n    \"name\": \"{}\",\n    \"pid\": {},\n    \"tid\": "
        "{},\n    \"ts\": {:.3f},\n    \"dur\": {:.3f}\n    ,\n    \"args\": {{\n      {}\n    }}\n  }}",
        events_ == 0 ? "" : ",", category, name, process, thread, start_us, us, arguments);
    ++events_;
  }

  void flow(char phase, std::uint64_t id, int process, int thread, double us) {
    write(
        ",\n  {{\n    \"ph\": \"{}\",\n    \"id\": {},\n    \"pid\": {},\n    \"tid\": {},\n    \"ts\": {:.3f},\n    "
        "\"cat\": \"ac2g\",\n    \"name\": \"ac2g\"{}\n  }}",
        phase, id, process, thread, us, phase == 'f' ? ",\n    \"bp\": \"e\"" : "");
    ++events_;
  }

  void close() {
    write("\n  ],\n  \"traceName\": \"synthetic\"\n}}\n");
    file_.close();
  }

 private:
  template <class... Values>
  void write(fmt::format_string<const Values&...> text, const Values&... values) {
    const std::string made = fmt::format(text, values...);
    file_.print("{}", made);
    bytes_ += made.size();
  }

  fmt::ostream file_;
  std::uint64_t bytes_ = 0, events_ = 0;
};

std::string kernel_arguments(std::uint64_t id, int stream) {
  return fmt::format(
      "\"External id\": {},\n      \"queued\": 0,\n      \"device\": 0,\n      \"context\": 1,\n      "
      "\"stream\": {},\n      \"correlation\": {},\n      \"registers per thread\": 128,\n      \"shared "
      "memory\": 32768,\n      \"blocks per SM\": 3.111111,\n      \"warps per SM\": 24.888889,\n      "
      "\"grid\": [42, 16, 1],\n      \"block\": [256, 1, 1],\n      \"est. achieved occupancy %\": 38",
      id, stream, id);
}

std::string operator_arguments(std::uint64_t id, TraceMix mix) {
  if (mix == TraceMix::lean) return fmt::format("\"External id\": {}", id);
  const std::string standard = fmt::format(
      "\"External id\": {},\"Record function id\": 0, \"Sequence number\": {}, \"Fwd thread id\": 0, \"Ev Idx\": {}",
      id, id, id);
  if (mix == TraceMix::standard) return standard;
  return standard +
         ", \"Input type\": [\"float\", \"float\", \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"Scalar\"], "
         "\"Input Strides\": [[802816, 3136, 56, 1], [576, 9, 3, 1], [], [], [], [], []], \"Input Dims\": [[64, 256, "
         "56, "
         "56], [64, 64, 3, 3], [], [], [], [], []], \"Concrete Inputs\": [\"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", "
         "\"[1, "
         "1]\", \"1\"]";
}

// One layer: operators in each other, a launch, its flow, the kernel.
void write_layer(Writer& out, int layer, double cpu_us, double gpu_us, std::uint64_t& id, TraceMix mix) {
  for (int depth = 0; depth < 4; ++depth) {
    ++id;
    out.event("cpu_op", kOps[static_cast<std::size_t>(layer + depth) % kOps.size()], 4242, 4242, cpu_us + depth,
              kOp_us - 2 * depth, operator_arguments(id, mix));
  }
  out.event("cuda_runtime", "cudaLaunchKernel", 4242, 4242, cpu_us + 4, 2.5,
            fmt::format("\"External id\": {},\n      \"cbid\": 211,\n      \"correlation\": {}", id, id));
  out.flow('s', id, 4242, 4242, cpu_us + 4);
  out.event("kernel", kKernels[static_cast<std::size_t>(layer) % kKernels.size()], 0, 7, gpu_us, kKernel_us - 1.5,
            kernel_arguments(id, 7));
  out.flow('f', id, 0, 7, gpu_us);
  if (layer % 10 == 9) out.event("kernel", kCollective, 0, 20, gpu_us, 6 * kKernel_us, kernel_arguments(id, 20));
}

}  // namespace

std::uint64_t write_synthetic_trace(const std::filesystem::path& path, std::uint64_t bytes, TraceMix mix) {
  Writer out(path);
  double now_us = 3917543588725.759;
  std::uint64_t id = 0;
  for (int step = 0; out.bytes() < bytes; ++step) {
    const double step_us = kLayers * kKernel_us + 400;
    const std::string mark = fmt::format("ProfilerStep#{}", step);
    const std::string external = fmt::format("\"External id\": {}", ++id);
    out.event("user_annotation", mark, 4242, 4242, now_us, step_us, external);
    out.event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 4242, 4242,
              now_us + 5, 90, external);
    out.event("gpu_user_annotation", mark, 0, 7, now_us + 110, step_us - 110, external);
    out.event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, 7, now_us + 110, 60, kernel_arguments(id, 7));
    for (int layer = 0; layer < kLayers; ++layer) {
      write_layer(out, layer, now_us + 100 + layer * kOp_us, now_us + 180 + layer * kKernel_us, id, mix);
    }
    now_us += step_us;
  }
  out.close();
  return out.events();
}
