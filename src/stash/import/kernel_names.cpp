#include "stash/import/kernel_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace stash {
namespace {

constexpr std::size_t kPlaces = 4096;    // a trace has hundreds of names; with the longest of them 17 MB
constexpr std::size_t kPlacesTried = 8;  // so that names chosen to collide cost no search

// Of every byte: kernels of one template differ in few.
std::size_t hash(std::string_view name) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  // spreads neighbouring values
  std::uint64_t state = name.size();
  for (std::size_t at = 0; at < name.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + at, std::min(name.size() - at, sizeof word));
    state = (std::rotl(state, 27) ^ word) * kOdd;
  }
  return state >> 32U;
}

struct Collective {
  std::string_view pattern, name;
};

// In lower case and without underscores. Longer patterns come before those that they hold.
constexpr std::array kCollectives{Collective{"allreduce", "all_reduce"}, Collective{"reducescatter", "reduce_scatter"},
                                  Collective{"allgather", "all_gather"}, Collective{"alltoall", "all_to_all"},
                                  Collective{"sendrecv", "send_recv"},   Collective{"crossdevicereduce", "all_reduce"}};

// Only in names of a library that communicates: others broadcast and reduce inside one GPU.
constexpr std::array kLibraryCollectives{Collective{"broadcast", "broadcast"}, Collective{"reduce", "reduce"}};

constexpr std::array<std::string_view, 7> kLibraries{"nccl", "rccl", "nvshmem", "msccl", "deepep", "oneccl", "hccl"};

// Families of kernels that compute: what PyTorch, its compilers and the vendors' libraries name theirs.
constexpr std::array<std::string_view, 34> kFamilies{
    "gemm",    "gemv",      "cutlass",     "cudnn",     "cublas", "atnative",  "at::native", "triton", "elementwise",
    "softmax", "conv",      "xmma",        "flash",     "fmha",   "nvjet",     "norm",       "cub::",  "thrust",
    "wgrad",   "dgrad",     "winograd",    "fft",       "splitk", "embedding", "dropout",    "cijk",   "miopen",
    "ck::",    "attention", "multitensor", "transpose", "pool",   "adam",      "vectorized"};

// '_' falls out, so that all_reduce, AllReduce and allreduce are one.
std::string folded(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  for (const char c : name) {
    if (c != '_') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <class Patterns>
std::string_view collective_in(std::string_view text, const Patterns& patterns) {
  const auto found = std::ranges::find_if(patterns, [&](const Collective& c) { return holds(text, c.pattern); });
  return found == patterns.end() ? std::string_view{} : found->name;
}

}  // namespace

KernelName classify_kernel(std::string_view name) {
  const std::string text = folded(name);
  // Arguments hold names of types: ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>).
  const std::string_view called = std::string_view(text).substr(0, text.find('('));
  const bool library = std::ranges::any_of(kLibraries, [&](std::string_view part) { return holds(text, part); });
  std::string_view collective = collective_in(called, kCollectives);
  if (collective.empty() && library) collective = collective_in(called, kLibraryCollectives);
  if (library || !collective.empty()) return {KernelKind::communication, true, collective};
  const bool known = std::ranges::any_of(kFamilies, [&](std::string_view part) { return holds(text, part); });
  return {KernelKind::compute, known, {}};
}

const KernelName& KernelNames::find(std::string_view name) {
  name = name.substr(0, kLongest_bytes);
  if (table_.empty()) table_.resize(kPlaces);
  const std::size_t first = hash(name);
  for (std::size_t i = 0; i < kPlacesTried; ++i) {
    Entry& entry = table_[(first + i) % kPlaces];
    if (!entry.taken) entry = {std::string(name), classify(name), true};
    if (entry.name == name) return entry.is;
  }
  return classify(name);
}

const KernelName& KernelNames::classify(std::string_view name) {
  latest_ = classify_kernel(name);
  const bool keep = !latest_.recognised && unrecognised_.size() < kUnrecognisedKept &&
                    std::ranges::find(unrecognised_, name) == unrecognised_.end();
  if (keep) unrecognised_.emplace_back(name);
  return latest_;
}

}  // namespace stash
