// Two partitions of a GPU's multiprocessors (green contexts) as a slow and a fast device that train layer stacks together:
// each has its samples of a batch, and gradients are summed at the end of a step. Prints a line of JSON for each stack: the
// time of every layer on either partition, and of steps by the slow partition's share of the samples. It measures;
// plan_mixed_pair.py plans, and compares.
//
//     nvcc -O3 -std=c++17 -arch=native -o mixed_pair plan_mixed_pair.cu && ./mixed_pair 32 88 7

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int kTile = 64;       // of rows and columns of a product; samples are dealt in tiles
constexpr int kDepth = 16;      // of a product's inner dimension at a time
constexpr int kThreads = 256;   // of a block: each has 4 x 4 elements of a tile
constexpr double kLeastShare = 0.05;
constexpr double kMostShare = 0.6;

[[noreturn]] void fail(const char* what, int code) {
  std::fprintf(stderr, "plan_mixed_pair: %s failed with %d\n", what, code);
  std::exit(1);
}

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) fail(what, static_cast<int>(code));
}

void check(CUresult code, const char* what) {
  if (code != CUDA_SUCCESS) fail(what, static_cast<int>(code));
}

// The driver's functions without linking with it.
template <class Function>
Function* driver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &result), name);
  if (found == nullptr) fail(name, static_cast<int>(result));
  return reinterpret_cast<Function*>(found);
}

// c = a * b, row by row; a or b as their transposes lie in memory where asked for. All sizes are multiples of tiles.
template <bool transposed_a, bool transposed_b>
__global__ void product(const float* a, const float* b, float* c, int rows, int columns, int depth) {
  __shared__ float left[kDepth][kTile + 4], right[kDepth][kTile + 4];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum[4][4] = {};
  for (int at = 0; at < depth; at += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int ra = transposed_a ? i % kTile : i / kDepth, ka = transposed_a ? i / kTile : i % kDepth;
      left[ka][ra] = transposed_a ? a[static_cast<size_t>(at + ka) * rows + row + ra]
                                  : a[static_cast<size_t>(row + ra) * depth + at + ka];
      const int cb = transposed_b ? i / kDepth : i % kTile, kb = transposed_b ? i % kDepth : i / kTile;
      right[kb][cb] = transposed_b ? b[static_cast<size_t>(column + cb) * depth + at + kb]
                                   : b[static_cast<size_t>(at + kb) * columns + column + cb];
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += left[k][4 * y + i] * right[k][4 * x + j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c[static_cast<size_t>(row + 4 * y + i) * columns + column + 4 * x + j] = sum[i][j];
  }
}

__global__ void rectify(float* values, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    values[i] = fmaxf(values[i], 0.0F);
  }
}

__global__ void rectify_backward(float* gradients, const float* values, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    if (values[i] <= 0) gradients[i] = 0;
  }
}

__global__ void add_both(float* a, float* b, size_t count) {
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    a[i] = b[i] = a[i] + b[i];
  }
}

struct Stack {
  const char* name;
  int batch;
  std::vector<int> widths;  // of the input and of each layer's output
};

const std::vector<Stack> kStacks{{"wide", 4096, {2048, 2048, 2048, 2048}},
                                 {"tapering", 4096, {4096, 1024, 2048, 512}},
                                 {"long", 8192, {1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024}}};

float* device_floats(size_t count) {
  float* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)), "cudaMalloc");
  check(cudaMemset(memory, 0, count * sizeof(float)), "cudaMemset");
  return memory;
}

// A partition with its copy of a stack.
class Half {
 public:
  Half(const Stack& stack, cudaStream_t stream, int sms) : stack_(stack), stream_(stream), blocks_(sms * 8) {
    for (size_t i = 0; i < stack.widths.size(); ++i) {
      const size_t elements = static_cast<size_t>(stack.batch) * stack.widths[i];
      values_.push_back(device_floats(elements));
      gradients_.push_back(device_floats(elements));
      if (i == 0) continue;
      weights_.push_back(device_floats(weight_count(i - 1)));
      sums_.push_back(device_floats(weight_count(i - 1)));
    }
  }
  ~Half() {
    for (const auto* all : {&values_, &gradients_, &weights_, &sums_}) {
      for (float* memory : *all) cudaFree(memory);
    }
  }
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;

  size_t layers() const { return weights_.size(); }
  size_t weight_count(size_t layer) const {
    return static_cast<size_t>(stack_.widths[layer]) * stack_.widths[layer + 1];
  }

  void forward(size_t layer, int samples) const {
    const int in = stack_.widths[layer], out = stack_.widths[layer + 1];
    product<false, false><<<dim3(out / kTile, samples / kTile), kThreads, 0, stream_>>>(
        values_[layer], weights_[layer], values_[layer + 1], samples, out, in);
    rectify<<<blocks_, kThreads, 0, stream_>>>(values_[layer + 1], static_cast<size_t>(samples) * out);
  }

  void backward(size_t layer, int samples) const {
    const int in = stack_.widths[layer], out = stack_.widths[layer + 1];
    rectify_backward<<<blocks_, kThreads, 0, stream_>>>(gradients_[layer + 1], values_[layer + 1],
                                                       static_cast<size_t>(samples) * out);
    product<true, false><<<dim3(out / kTile, in / kTile), kThreads, 0, stream_>>>(
        values_[layer], gradients_[layer + 1], sums_[layer], in, out, samples);
    product<false, true><<<dim3(in / kTile, samples / kTile), kThreads, 0, stream_>>>(
        gradients_[layer + 1], weights_[layer], gradients_[layer], samples, in, out);
  }

  void step(int samples) const {
    for (size_t i = 0; i < layers(); ++i) forward(i, samples);
    for (size_t i = layers(); i-- > 0;) backward(i, samples);
  }

  void add(const Half& other) const {
    for (size_t i = 0; i < layers(); ++i) {
      add_both<<<blocks_, kThreads, 0, stream_>>>(sums_[i], other.sums_[i], weight_count(i));
    }
  }

  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  const Stack& stack_;
  cudaStream_t stream_;
  int blocks_;
  std::vector<float*> values_, gradients_, weights_, sums_;
};

double median_s(int repeats, const std::function<void()>& work) {
  std::vector<double> samples;
  work();
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    samples.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

double layer_s(const Half& half, size_t layer, int samples, int repeats) {
  return median_s(repeats, [&] {
    half.forward(layer, samples), half.backward(layer, samples);
    half.wait();
  });
}

// Microseconds of each layer's forward and backward with a quarter and with three quarters of the batch: what either
// partition has about, and the line through both tells what other shares take.
std::string layer_times(const Half& half, int batch, int repeats) {
  std::string text;
  for (size_t i = 0; i < half.layers(); ++i) {
    text += (text.empty() ? "[" : ", [") + std::to_string(layer_s(half, i, batch / 4, repeats) * 1e6) + ", " +
            std::to_string(layer_s(half, i, batch / 4 * 3, repeats) * 1e6) + "]";
  }
  return text;
}

// Pairs of the slow partition's share and microseconds per step.
std::string step_times(const Half& slow, const Half& fast, int batch, int repeats) {
  std::string text;
  for (int samples = kTile; samples < batch; samples += std::max(kTile, batch / 64 / kTile * kTile)) {
    const double share = static_cast<double>(samples) / batch;
    if (share < kLeastShare || share > kMostShare) continue;
    const double s = median_s(repeats, [&] {
      slow.step(samples), fast.step(batch - samples);
      slow.wait(), fast.wait();
      fast.add(slow), fast.wait();
    });
    text += (text.empty() ? "" : ", ") + ("[" + std::to_string(share) + ", " + std::to_string(s * 1e6) + "]");
  }
  return text;
}

struct Partition {
  cudaStream_t stream = nullptr;
  int sms = 0;
};

constexpr unsigned kGroup = 8;       // multiprocessors that a partition is a multiple of
constexpr unsigned kMostGroups = 64;

// The GPU's multiprocessors in groups of eight; what is left over belongs to nobody.
std::vector<CUdevResource> groups_of_multiprocessors() {
  CUdevResource all{}, rest{};
  check(driver<CUresult(CUdevice, CUdevResource*, CUdevResourceType)>("cuDeviceGetDevResource")(
            0, &all, CU_DEV_RESOURCE_TYPE_SM),
        "cuDeviceGetDevResource");
  unsigned count = kMostGroups;
  std::vector<CUdevResource> groups(count);
  check(driver<CUresult(CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*, unsigned, unsigned)>(
            "cuDevSmResourceSplitByCount")(groups.data(), &count, &all, &rest, 0, kGroup),
        "cuDevSmResourceSplitByCount");
  groups.resize(count);
  return groups;
}

Partition partition(std::vector<CUdevResource>& groups, std::size_t first, std::size_t count) {
  CUdevResourceDesc description{};
  check(driver<CUresult(CUdevResourceDesc*, CUdevResource*, unsigned)>("cuDevResourceGenerateDesc")(
            &description, &groups[first], static_cast<unsigned>(count)),
        "cuDevResourceGenerateDesc");
  CUgreenCtx context{};
  check(driver<CUresult(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned)>("cuGreenCtxCreate")(
            &context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM),
        "cuGreenCtxCreate");
  CUstream stream{};
  check(driver<CUresult(CUstream*, CUgreenCtx, unsigned, int)>("cuGreenCtxStreamCreate")(&stream, context,
                                                                                       CU_STREAM_NON_BLOCKING, 0),
        "cuGreenCtxStreamCreate");
  return {stream, static_cast<int>(count * kGroup)};
}

void measure(const Stack& stack, const Partition& slow, const Partition& fast, int repeats) {
  const Half slow_half(stack, slow.stream, slow.sms), fast_half(stack, fast.stream, fast.sms);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::string widths;
  double weights = 0;
  for (size_t i = 0; i < stack.widths.size(); ++i) widths += (i > 0 ? ", " : "") + std::to_string(stack.widths[i]);
  for (size_t i = 0; i < slow_half.layers(); ++i) weights += static_cast<double>(slow_half.weight_count(i));
  const double sum_s = median_s(repeats, [&] { fast_half.add(slow_half), fast_half.wait(); });
  std::printf(
      "{\"stack\": \"%s\", \"batch\": %d, \"widths\": [%s], \"units\": [%d, %d], \"slow_us\": [%s], \"fast_us\": [%s], "
      "\"bytes_per_s\": %.0f, \"steps_us\": [%s]}\n",
      stack.name, stack.batch, widths.c_str(), slow.sms, fast.sms,
      layer_times(slow_half, stack.batch, repeats).c_str(),
      layer_times(fast_half, stack.batch, repeats).c_str(), weights * sizeof(float) / sum_s,
      step_times(slow_half, fast_half, stack.batch, repeats).c_str());
  check(cudaGetLastError(), "a kernel");
}

}  // namespace

int main(int argc, char** argv) {
  const int slow_sms = argc > 1 ? std::atoi(argv[1]) : 32, fast_sms = argc > 2 ? std::atoi(argv[2]) : 88;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 7;
  if (slow_sms < 8 || fast_sms < slow_sms || repeats < 1) {
    std::fprintf(stderr, "usage: plan_mixed_pair SLOW_SMS FAST_SMS REPEATS, in multiples of 8 multiprocessors\n");
    return 2;
  }
  check(cudaFree(nullptr), "cudaFree");  // makes the primary context
  std::vector<CUdevResource> groups = groups_of_multiprocessors();
  const std::size_t slow_groups = slow_sms / kGroup, fast_groups = fast_sms / kGroup;
  if (slow_groups + fast_groups > groups.size()) {
    std::fprintf(stderr, "plan_mixed_pair: this GPU has %zu groups of 8 multiprocessors, too few for %d and %d\n",
                 groups.size(), slow_sms, fast_sms);
    return 2;
  }
  const Partition slow = partition(groups, 0, slow_groups), fast = partition(groups, slow_groups, fast_groups);
  for (const Stack& stack : kStacks) measure(stack, slow, fast, repeats);
  return 0;
}
