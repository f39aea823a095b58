#pragma once

#include "stash/core/json_fields.h"
#include "stash/core/script_work.h"

// The keys of a script's work.
namespace stash {

template <class V, json_fields::FieldsOf<WorkRow> T>
void fields(V& visit, T& row) {
  json_fields::Nullable dtype{row.dtype};
  visit("class", row.kind);
  visit("dtype", dtype);
  visit("pass", row.pass);
  visit("s", row.s, 0);
  visit("operations", row.operations, 0);
  visit("bytes", row.bytes, 0);
  visit("launches", row.launches, 0);
}

template <class V, json_fields::FieldsOf<WorkLayer> T>
void fields(V& visit, T& layer) {
  json_fields::Nullable dtype{layer.dtype};
  visit("name", layer.name);
  visit("op", layer.op);
  visit("output", layer.output);
  visit("parameters", layer.parameters);
  visit("shares_weight", layer.shares_weight);
  visit("dtype", dtype);
  visit("kernel", layer.kernel, 1);
  visit("kernel_width", layer.kernel_width, 1);
  visit("stride", layer.stride, 1);
  visit("groups", layer.groups, 0);
  visit("index", layer.index, 0);
  visit("heads", layer.heads, 1);
  visit("causal", layer.causal);
  visit("forward_ops", layer.forward_ops, 0);
  visit("backward_ops", layer.backward_ops, 0);
  visit("forward_elements", layer.forward_elements, 0);
  visit("backward_elements", layer.backward_elements, 0);
  visit("forward_s", layer.forward_s, 0);
  visit("backward_s", layer.backward_s, 0);
}

template <class V, json_fields::FieldsOf<ScriptWork> T>
void fields(V& visit, T& work) {
  json_fields::Nullable batch{work.batch};
  visit("steps", work.steps, 1);
  visit("step_s", work.step_s, 0);
  visit("on_gpu", work.on_gpu);
  visit("compiled", work.compiled);
  visit("batch", batch, 0);
  visit("passes", work.passes, 1);
  visit("optimizer", work.optimizer);
  visit("sample_bytes", work.sample_bytes, 0);
  visit("fixed_ratio", work.fixed_ratio, 0);
  visit("unsized_ratio", work.unsized_ratio, 0);
  visit("rows", work.rows);
  visit("layers", work.layers);
}

}  // namespace stash
