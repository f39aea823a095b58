#pragma once

#include "stash/core/job.h"
#include "stash/core/json_fields.h"

namespace stash {

template <class V, json_fields::FieldsOf<Job> T>
void fields(V& visit, T& job) {
  json_fields::Nullable model{job.model}, dtype{job.dtype}, backend{job.backend}, loader{job.loader};
  json_fields::Nullable batch{job.batch};
  visit.or_default("model", model);
  visit.or_default("batch", batch, 0);
  visit.or_default("image_size", job.image_size, 0);
  visit.or_default("seq_len", job.seq_len, 0);
  visit.or_default("device", job.device);
  visit.or_default("dtype", dtype);
  visit.or_default("channels_last", job.channels_last);
  visit.or_default("ranks", job.ranks, 1);
  visit.or_default("backend", backend);
  visit.or_default("bucket_bytes", job.bucket_bytes, 1);
  visit.or_default("data", job.data);
  visit.or_default("workers", job.workers, 0);
  visit.or_default("prefetch", job.prefetch, 0);
  visit.or_default("loader", loader);
  visit.or_default("conditions", job.conditions);
  visit.or_default("precision_ratio", job.precision_ratio, 0);
  visit.or_default("rounds", job.rounds, 0);
  visit.or_default("max_time_s", job.max_time_s, 0);
  visit.or_default("seed", job.seed);
  visit.or_default("inject", job.inject);
  visit.or_default("command", job.command);
}

}  // namespace stash
