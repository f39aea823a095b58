#include "stash/serve/batching/model_queue.h"

#include <algorithm>

#include "stash/core/clock.h"
#include "stash/core/error.h"

namespace stash {

void count_answer(ModelCounts& counts, const RequestTimes& times) {
  const double s = seconds(times.answered_ns - times.begun_ns);
  ++counts.answered;
  counts.latency_s += s;
  for (std::size_t i = 0; i < kLatencyBounds_s.size(); ++i) {
    if (s <= kLatencyBounds_s[i]) ++counts.within[i];
  }
  const PartTimes parts = parts_of(times);
  for (std::size_t i = 0; i < kRequestParts; ++i) counts.parts_s[i] += seconds(parts[i].value_or(0));
}

void ModelQueue::set(const ServeSettings& settings) {
  settings_ = settings;
  const int most = std::min(settings.most_batch, model_.most_batch.value_or(settings.most_batch));
  const bool fixed = settings.batching == BatchingWay::fixed;
  rule_.objective_s = settings.objective_s;
  rule_.most_rows = fixed ? most : rows_within(model_.times, settings.objective_s, most);
  rule_.timeout_s = fixed ? std::optional(settings.batch_timeout_s) : std::nullopt;
}

// What cannot be in time is refused.
void ModelQueue::set_as_well_as_it_can() {
  try {
    set(settings_);
  } catch (const UsageError&) {
    rule_.most_rows = 1;
  }
}

void ModelQueue::change_times(BatchTimes times) {
  model_.times = std::move(times);
  set_as_well_as_it_can();
}

void ModelQueue::load(std::int64_t now_ns, ReloadWay way) {
  if (is_loading_) return;
  loaded_ns_ = std::max<std::int64_t>(1, now_ns + nanoseconds(model_.load_s));
  is_loading_ = true;
  is_to_be_gone_ = false;
  why_.clear();
  if (state_ == State::ready && way == ReloadWay::stop) begin_resting(now_ns);
  if (loader_ != nullptr) loader_->load(way == ReloadWay::stop);
  if (state_ == State::unloaded) state_ = State::loading;
}

void ModelQueue::begin_resting(std::int64_t now_ns) {
  if (rests_) return;
  rests_ = true;
  rest_begun_ns_ = now_ns;
}

void ModelQueue::unload() {
  state_ = State::unloaded;
  if (loader_ != nullptr) {
    is_to_be_gone_ = true;
    is_loading_ = is_loading_ && !empty();
    return;
  }
  is_loading_ = false;
  rests_ = false;
}

void ModelQueue::end_loading(std::int64_t now_ns) {
  if (rests_) rested_ns_ += now_ns - rest_begun_ns_;
  rests_ = false;
  is_loading_ = false;
}

bool ModelQueue::advance_loading(std::int64_t now_ns) {
  if (loader_ != nullptr) {
    const bool was_loading = is_loading_;
    // Taking over is work of this thread, which serves nobody meanwhile.
    const std::int64_t since_ns = rests_ ? rest_begun_ns_ : stash::now_ns();
    if (auto news = loader_->take_news()) {
      const bool takes_over = news->what == LoadNews::What::loaded && counts.loads > 0;
      take(*news, now_ns);
      if (takes_over) counts.reload_gap_s = seconds(stash::now_ns() - since_ns);
    }
    if (is_to_be_gone_ && empty()) {
      loader_->unload();
      end_loading(now_ns);
      is_to_be_gone_ = false;
      is_gone_ = true;
    }
    return was_loading && !is_loading_;
  }
  if (!is_loading_ || now_ns < loaded_ns_) return false;
  end_loading(now_ns);
  state_ = State::ready;
  ++counts.loads;
  return true;
}

void ModelQueue::take(LoadNews& news, std::int64_t now_ns) {
  why_ = news.why;
  switch (news.what) {
    case LoadNews::What::loaded: {
      news.model->name = model_.name;
      model_ = std::move(*news.model);
      end_loading(now_ns);
      is_gone_ = false;
      if (!is_to_be_gone_) state_ = State::ready;
      ++counts.loads;
      ++version_;
      set_as_well_as_it_can();
      return;
    }
    case LoadNews::What::lost:
      ++counts.restarts;
      begin_resting(now_ns);
      is_loading_ = true;
      loaded_ns_ = now_ns + nanoseconds(model_.load_s);
      if (state_ == State::ready) state_ = State::loading;
      return;
    case LoadNews::What::given_up:
      end_loading(now_ns);
      is_gone_ = true;
      state_ = State::unloaded;
      return;
    case LoadNews::What::failed:
      end_loading(now_ns);
      return;
  }
}

std::int64_t ModelQueue::rested_ns(std::int64_t now_ns) const {
  return rested_ns_ + (rests_ ? now_ns - rest_begun_ns_ : 0);
}

void ModelQueue::push(PendingRequest& request) {
  waiting_.push_back(&request);
  rows_ += request.times.rows;
}

void ModelQueue::remove(const PendingRequest& request) {
  if (std::erase(waiting_, &request) > 0) rows_ -= request.times.rows;
}

std::int64_t ModelQueue::due_ns(std::int64_t now_ns, std::int64_t free_ns, double overhead_s) const {
  return dispatch_ns(rule_, model_.times, {.rows = rows_, .oldest_ns = waiting_.front()->times.arrived_ns},
                     rate_.per_s(now_ns), free_ns, overhead_s);
}

PendingRequest* ModelQueue::pop() {
  PendingRequest* const first = waiting_.front();
  waiting_.pop_front();
  rows_ -= first->times.rows;
  return first;
}

std::vector<PendingRequest*> ModelQueue::take_batch(std::int64_t now_ns, double overhead_s,
                                                    std::vector<PendingRequest*>& late) {
  std::vector<PendingRequest*> batch;
  int rows = 0;
  // One that is larger than a batch may be since it came goes alone.
  while (!waiting_.empty() && (batch.empty() || rows + waiting_.front()->times.rows <= rule_.most_rows)) {
    PendingRequest* const first = pop();
    const double alone_s = model_.times.at(first->times.rows) + overhead_s;
    if (rule_.objective_s && now_ns + nanoseconds(alone_s) > first->deadline_ns) {
      late.push_back(first);
      continue;
    }
    rows += first->times.rows;
    batch.push_back(first);
  }
  // The first ones may be in time only without the last ones.
  if (!rule_.objective_s || batch.empty()) return batch;
  while (batch.size() > 1 && now_ns + nanoseconds(model_.times.at(rows) + overhead_s) > batch.front()->deadline_ns) {
    PendingRequest* const last = batch.back();
    batch.pop_back();
    rows -= last->times.rows;
    waiting_.push_front(last);
    rows_ += last->times.rows;
  }
  return batch;
}

}  // namespace stash
