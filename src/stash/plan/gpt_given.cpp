#include <fmt/format.h>

#include <algorithm>

#include "stash/core/error.h"
#include "stash/plan/gpt_search.h"

namespace stash {
namespace {

void refuse_unless_divides(int number, const char* of, const std::optional<int>& parts, const char* over) {
  if (!parts || number % *parts == 0) return;
  throw UsageError(
      fmt::format("{} {} cannot be split over {} {}: {}", number, of, *parts, over, nearest_divisors(number, *parts)));
}

void check_ranks(const GptJob& job, const GptSearch& search) {
  const int gpus = job.gpus();
  const long long product =
      static_cast<long long>(search.data.value_or(1)) * search.tensor.value_or(1) * search.pipeline.value_or(1);
  refuse_unless_divides(job.size.heads, "heads", search.tensor, "tensor-parallel ranks");
  if (search.data && search.tensor && search.pipeline && product != gpus) {
    throw UsageError(fmt::format("data {} x tensor {} x pipeline {} are {} GPUs, and there are {}", *search.data,
                                 *search.tensor, *search.pipeline, product, gpus));
  }
  refuse_unless_divides(gpus, "GPUs", search.data, "data-parallel ranks");
  refuse_unless_divides(gpus, "GPUs", search.tensor, "tensor-parallel ranks");
  refuse_unless_divides(gpus, "GPUs", search.pipeline, "pipeline stages");
  if (gpus % product != 0) {
    throw UsageError(fmt::format("data {} x tensor {} x pipeline {} do not divide {} GPUs", search.data.value_or(1),
                                 search.tensor.value_or(1), search.pipeline.value_or(1), gpus));
  }
}

void check_stages(const GptJob& job, const GptSearch& search) {
  const int layers = job.size.layers;
  if (search.pipeline && *search.pipeline > layers) {
    throw UsageError(fmt::format("{} layers cannot fill {} pipeline stages: give --pipeline {} or less", layers,
                                 *search.pipeline, layers));
  }
  if (!search.interleave || *search.interleave == 1) return;
  if (search.pipeline == 1) throw UsageError("interleaved pieces need more than one pipeline stage");
  if (job.kinds.size() > 1) {
    throw UsageError("interleaved pieces need stages of equal depth, on machines of one kind");
  }
  const int pieces = search.pipeline.value_or(1) * *search.interleave;
  if (layers % pieces == 0) return;
  throw UsageError(fmt::format("{} layers cannot be split into {} equal pieces{}: {}", layers, pieces,
                               search.pipeline ? " over all stages" : "", nearest_divisors(layers, pieces)));
}

void check_batch(const GptJob& job, const GptSearch& search) {
  const long long part = static_cast<long long>(search.data.value_or(1)) * search.micro_batch.value_or(1);
  if (job.global_batch % part == 0) return;
  const long long below = job.global_batch / part * part;
  throw UsageError(fmt::format(
      "a global batch of {} is no multiple of {} data-parallel ranks times a micro-batch of {}: the nearest {} {}",
      job.global_batch, search.data.value_or(1), search.micro_batch.value_or(1), below > 0 ? "multiples are" : "is",
      below > 0 ? fmt::format("{} and {}", below, below + part) : fmt::format("{}", part)));
}

void check_sequences(const GptJob& job, const GptSearch& search) {
  if (!search.sequence_parallel.value_or(false)) return;
  if (search.tensor == 1) {
    throw UsageError(
        "--sequence-parallel splits sequences over tensor-parallel ranks, and --tensor 1 has none: give 2 or more, or "
        "leave one of both out");
  }
  const int ranks = search.tensor.value_or(1);
  if (job.size.max_seq_len % ranks == 0) return;
  throw UsageError(
      fmt::format("sequences of {} tokens cannot be split over {} ranks: {}; or give "
                  "--no-sequence-parallel",
                  job.size.max_seq_len, ranks, nearest_divisors(job.size.max_seq_len, ranks)));
}

}  // namespace

void check_given(const GptJob& job, const GptSearch& search) {
  check_ranks(job, search);
  check_stages(job, search);
  check_batch(job, search);
  const int most_data = search.data.value_or(job.gpus() / search.tensor.value_or(1) / search.pipeline.value_or(1));
  refuse_unless_divides(most_data, most_data == 1 ? "data-parallel rank" : "data-parallel ranks", search.shards,
                        "shards");
  check_sequences(job, search);
}

}  // namespace stash
