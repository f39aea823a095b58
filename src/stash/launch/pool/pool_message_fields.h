#pragma once

#include "stash/core/json_fields.h"
#include "stash/launch/pool/pool_messages.h"

// The keys of what jobs and their pool tell each other.
namespace stash {

template <class V, json_fields::FieldsOf<JoinMessage> T>
void fields(V& visit, T& join) {
  visit("protocol", join.protocol);
  visit("name", join.name);
  visit("job", join.job);
  visit("rank", join.rank, 0);
  visit("ranks_here", join.ranks_here, 1);
  visit("pid", join.pid, 0);
  visit("workers", join.workers, 1);
  visit("min_workers", join.min_workers, 1);
  visit("max_workers", join.max_workers, 1);
}

template <class V, json_fields::FieldsOf<ReportMessage> T>
void fields(V& visit, T& report) {
  visit("workers", report.workers);
  visit("elapsed_s", report.elapsed_s);
  visit("samples", report.samples);
  visit("batches", report.batches);
  visit("waited_s", report.waited_s);
  visit("busy_s", report.busy_s);
  visit("cpu_s", report.cpu_s);
  visit("samples_left", report.samples_left);
}

template <class V, json_fields::FieldsOf<LeaveMessage> T>
void fields(V&, T&) {}

template <class V, json_fields::FieldsOf<StatusMessage> T>
void fields(V&, T&) {}

template <class V, json_fields::FieldsOf<ShareMessage> T>
void fields(V& visit, T& share) {
  visit("workers", share.workers, 1);
  visit("most_workers", share.most_workers, 1);
  visit("report_s", share.report_s, 0);
}

template <class V, json_fields::FieldsOf<RefusedMessage> T>
void fields(V& visit, T& refused) {
  visit("why", refused.why);
}

}  // namespace stash
