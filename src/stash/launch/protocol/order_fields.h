#pragma once

#include "stash/core/job_fields.h"
#include "stash/core/json_fields.h"
#include "stash/launch/protocol/order.h"
#include "stash/launch/protocol/script_order.h"

// The keys of what ranks are told.
namespace stash {

template <class V, json_fields::FieldsOf<NodeIdentity> T>
void fields(V& visit, T& node) {
  visit("host", node.host);
  visit("key", node.key);
}

template <class V, json_fields::FieldsOf<MeetingPoint> T>
void fields(V& visit, T& point) {
  visit("address", point.address);
  visit("port", point.port, 0);
  visit("is_served", point.is_served);
  visit("attempt", point.attempt);
}

template <class V, json_fields::FieldsOf<PoolSeat> T>
void fields(V& visit, T& seat) {
  visit("socket", seat.socket);
  visit("name", seat.name);
  visit("job", seat.job);
  visit("min_workers", seat.min_workers, 1);
  visit("max_workers", seat.max_workers, 1);
  visit("samples", seat.samples, 1);
}

template <class V, json_fields::FieldsOf<Order> T>
void fields(V& visit, T& order) {
  visit("purpose", order.purpose);
  visit("job", order.job);
  visit("max_link_bytes", order.max_link_bytes, 1);
  visit("pool", order.pool);
  visit("samples", order.samples, 1);
  visit("tries", order.tries);
  visit("first_rank", order.first_rank, 0);
  visit("crew_size", order.crew_size, 1);
  visit("team_size", order.team_size, 1);
  visit("first_local_rank", order.first_local_rank, 0);
  visit("nodes", order.nodes);
  visit("job_key", order.job_key);
  visit("store_file", order.store_file);
  visit("meeting", order.meeting);
  visit("interface", order.interface);
  visit("timeout_s", order.timeout_s, 0);
  visit("on_gpus", order.on_gpus);
  visit("stay", order.stay);
}

template <class V, json_fields::FieldsOf<ScriptOrder> T>
void fields(V& visit, T& order) {
  visit("program", order.program);
  visit("watch", order.watch);
  visit("keep_training", order.keep_training);
  visit("records_work", order.records_work);
  visit("tries", order.tries);
  visit("input", order.input);
  visit("pool", order.pool);
  visit("data", order.data);
  visit("job", order.job);
}

}  // namespace stash
