#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stash/core/condition.h"
#include "stash/core/injection.h"
#include "stash/core/job_device.h"

namespace stash {

inline constexpr int kMostWorkersPerRank = 1024;

// What is trained and how it is measured. What a script does not show is 0 or empty here, and null in JSON.
struct Job {
  std::string model = "resnet18";  // empty: the user's own script
  int batch = 32;                  // samples per rank and step; 0: unknown
  int image_size = 224;            // pixels, image models
  int seq_len = 0;                 // tokens, language models; 0: the model's own
  JobDevice device;                // cpu | cuda | emulated:<gpu>
  std::string dtype = "fp32";      // fp32 | bf16 | fp16; empty: unknown
  bool channels_last = false;
  int ranks = 2;
  std::string backend = "gloo";                  // gloo | nccl | any that torch knows; empty: unknown, or none
  std::int64_t bucket_bytes = 25 * 1024 * 1024;  // DistributedDataParallel's default
  std::string data;                              // dataset folder or token file
  int workers = 1;                               // input threads per rank
  int prefetch = 2;                              // batches that may be ready before they are used
  std::string loader = "stash";                  // whose CPU time a sample takes; empty: a script's own
  std::vector<Condition> conditions;             // the chain that was asked for; absent ones are left out
  double precision_ratio = 0.02;                 // half width of every part's interval, as a share of the step
  double max_time_s = 120;
  int rounds = 0;  // at most; 0: as many as precision and time ask for
  std::uint64_t seed = 1;
  Injection inject;
  std::vector<std::string> command;  // of the user's own script; empty: a built-in model

  bool operator==(const Job&) const = default;
};

// What people call it: the model, or the file name of the user's own script.
std::string job_name(const Job& job);
// What a command is called: its script, else its program.
std::string script_name(const std::vector<std::string>& command);

}  // namespace stash
