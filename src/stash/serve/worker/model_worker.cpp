#include "stash/serve/worker/model_worker.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/serve/worker/batch_order.h"

namespace stash {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// A worker that dies is started again at once; then after a second, two, four, up to a minute. One that lived for a
// minute has not died soon.
constexpr double kFirstPause_s = 1;
constexpr double kMostPause_s = 60;
constexpr int kMostDoublings = 6;
// A batch hangs when it takes this many times what it took before, and longer than the limit.
constexpr double kHangRatio = 20;

double pause_s(int deaths) {
  if (deaths <= 1) return 0;
  return std::min(kMostPause_s, kFirstPause_s * static_cast<double>(1 << std::min(deaths - 2, kMostDoublings)));
}

}  // namespace

ModelWorker::ModelWorker(ModelSource source, const WorkerSettings& settings, RequestArena& arena)
    : source_(std::move(source)), settings_(settings), arena_(arena), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_.is_open()) throw Error(fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
  coming_ = new_seat();
}

ServedModel ModelWorker::unknown_model() const {
  const TensorSpec nothing{.name = "", .type = find_tensor_type("FP32"), .shape = {}};
  return {.name = source_.name,
          .platform = source_.spec,
          .input = nothing,
          .output = nothing,
          .times = BatchTimes({{1, 0}})};
}

std::unique_ptr<WorkerSeat> ModelWorker::new_seat() {
  WorkerOrder order{.name = source_.name,
                    .spec = source_.spec,
                    .device = settings_.device,
                    .dtype = settings_.dtype,
                    .seed = settings_.seed,
                    .most_batch = settings_.most_batch,
                    .threads = settings_.threads,
                    .uses_graphs = settings_.uses_graphs,
                    .divides_device = settings_.divides_device};
  auto seat = std::make_unique<WorkerSeat>(settings_.interpreter, std::move(order), arena_.fd(), arena_.bytes());
  watch(*seat);
  return seat;
}

void ModelWorker::watch(WorkerSeat& seat) {
  std::vector<int> fds = seat.process().fds();
  fds.push_back(seat.done_fd());
  for (const int fd : fds) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (fd >= 0 && epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0) {
      throw Error(fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
    }
  }
}

void ModelWorker::take_events() {
  // The usual event is the end of a batch, and nothing else.
  std::array<epoll_event, 16> events;
  const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), 0);
  bool is_other = count <= 0;
  for (int i = 0; i < count; ++i) {
    const bool is_done = serving_ && events[static_cast<std::size_t>(i)].data.fd == serving_->done_fd();
    if (is_done) serving_->take_done();
    is_other = is_other || !is_done;
  }
  if (is_other) settle();
}

std::int64_t ModelWorker::next_ns() const {
  std::int64_t next = begin_again_ns_ > 0 ? begin_again_ns_ : kNever;
  if (coming_) next = std::min(next, coming_->begun_ns() + nanoseconds(settings_.load_limit_s));
  return next;
}

void ModelWorker::settle() {
  std::erase_if(leaving_, [](const auto& seat) {
    seat->read();
    return seat->process().end().has_value();
  });
  if (serving_) settle_serving();
  if (coming_) settle_coming();
  if (begin_again_ns_ > 0 && now_ns() >= begin_again_ns_ && !coming_) {
    begin_again_ns_ = 0;
    coming_ = new_seat();
  }
}

void ModelWorker::settle_serving() {
  serving_->read();
  auto end = serving_->process().end();
  if (!end) return;
  const std::string why = fmt::format("the process of model '{}' has ended ({})", source_.name, *end);
  if (is_busy_) lost_batch_ = why;
  serving_.reset();
  begin_again(why);
}

void ModelWorker::begin_again(const std::string& why) {
  const std::int64_t at_ns = now_ns();
  deaths_ = at_ns - died_ns_ > nanoseconds(kMostPause_s) ? 1 : deaths_ + 1;
  died_ns_ = at_ns;
  if (coming_) {
    news_.push_back({.what = LoadNews::What::lost, .why = why + "; another is being loaded already"});
    return;
  }
  const double pause = pause_s(deaths_);
  begin_again_ns_ = std::max<std::int64_t>(1, at_ns + nanoseconds(pause));
  if (pause <= 0) {
    begin_again_ns_ = 0;
    coming_ = new_seat();
    news_.push_back({.what = LoadNews::What::lost, .why = why + "; it is being started again: try again in a while"});
    return;
  }
  // Nobody is kept waiting for a model that dies again and again.
  news_.push_back({.what = LoadNews::What::given_up,
                   .why = fmt::format("{}; that was the {}. time in short order, and it is started again in {}", why,
                                      deaths_, format_duration(pause))});
}

void ModelWorker::settle_coming() {
  coming_->read();
  if (coming_->ready()) return;  // it takes over between batches
  auto end = coming_->process().end();
  std::optional<WorkerFailed> fault = coming_->failed();
  if (!fault && end) {
    fault = {.kind = "environment", .message = fmt::format("its process ended while it was loaded ({})", *end)};
  }
  if (!fault && now_ns() >= coming_->begun_ns() + nanoseconds(settings_.load_limit_s)) {
    fault = {.kind = "environment",
             .message = fmt::format("it was not loaded within {}", format_duration(settings_.load_limit_s))};
  }
  if (!fault) return;
  dismiss(std::move(coming_));
  if (!serving_ && !has_served_) first_fault_ = fault;
  const std::string why = fmt::format("model '{}' could not be loaded: {}", source_.name, fault->message);
  if (serving_ && !stops_first_) {
    news_.push_back({.what = LoadNews::What::failed, .why = why + "; the one before serves on"});
  } else {
    news_.push_back({.what = LoadNews::What::given_up, .why = why});
  }
}

std::optional<ServedModel> ModelWorker::loaded_model() const {
  const WorkerSeat* const seat = serving_ ? serving_.get() : coming_.get();
  if (seat == nullptr || !seat->ready()) return std::nullopt;
  return model_of(*seat->ready(), seconds(now_ns() - seat->begun_ns()));
}

void ModelWorker::dismiss(std::unique_ptr<WorkerSeat> seat) {
  if (!seat) return;
  seat->process().kill();  // its memory is given back while others are served
  leaving_.push_back(std::move(seat));
}

void ModelWorker::load(bool stops_first) {
  begin_again_ns_ = 0;
  if (coming_) return;
  stops_first_ = stops_first && serving_ != nullptr;
  if (!stops_first_) {
    coming_ = new_seat();
  } else if (!is_busy_) {
    dismiss(std::move(serving_));
    coming_ = new_seat();
  }
}

void ModelWorker::unload() {
  begin_again_ns_ = 0;
  dismiss(std::move(coming_));
  dismiss(std::move(serving_));
  news_.clear();
}

std::optional<LoadNews> ModelWorker::take_news() {
  if (is_busy_) return std::nullopt;
  if (stops_first_ && !coming_ && serving_) {
    dismiss(std::move(serving_));
    coming_ = new_seat();
  }
  if (!news_.empty()) {
    LoadNews news = std::move(news_.front());
    news_.pop_front();
    return news;
  }
  if (!coming_ || !coming_->ready()) return std::nullopt;
  LoadNews news;
  try {
    news.model = model_of(*coming_->ready(), seconds(now_ns() - coming_->begun_ns()));
  } catch (const Error& error) {
    dismiss(std::move(coming_));
    return LoadNews{.what = serving_ ? LoadNews::What::failed : LoadNews::What::given_up, .why = error.what()};
  }
  has_served_ = true;
  dismiss(std::exchange(serving_, std::move(coming_)));
  stops_first_ = false;
  return news;
}

std::vector<BatchTimes> ModelWorker::part_times() const {
  std::vector<BatchTimes> found;
  if (!serving_) return found;
  for (const WorkerPartTimes& part : serving_->ready()->part_times) {
    std::vector<BatchTime> times;
    for (const WorkerTime& one : part.times) times.push_back({one.batch, one.s});
    found.emplace_back(std::move(times));
  }
  return found;
}

ServedModel ModelWorker::model_of(const WorkerReady& ready, double load_s) const {
  std::vector<BatchTime> times;
  for (const WorkerTime& one : ready.times) times.push_back({one.batch, one.s});
  ServedModel model{.name = source_.name,
                    .platform = ready.platform,
                    .input = spec_of(ready.inputs.front()),
                    .output = spec_of(ready.outputs.front()),
                    .times = BatchTimes(std::move(times)),
                    .load_s = load_s,
                    .most_batch = ready.most_batch};
  for (std::size_t i = 1; i < ready.inputs.size(); ++i) model.more_inputs.push_back(spec_of(ready.inputs[i]));
  for (std::size_t i = 1; i < ready.outputs.size(); ++i) model.more_outputs.push_back(spec_of(ready.outputs[i]));
  return model;
}

void ModelWorker::gather(const BatchJob& job) {
  if (!serving_) return;
  place_rows(job);
  const bool is_pageable = job.input == InputWay::pageable;
  for (const PendingRequest* const request : job.requests) copy_into_batch(*serving_, *request, is_pageable);
}

void ModelWorker::start(const BatchJob& job) {
  is_busy_ = true;
  start_ns_ = job.start_ns;
  limit_ns_ = start_ns_ + nanoseconds(std::max(settings_.batch_limit_s, kHangRatio * seconds(job.work_ns)));
  if (!serving_) {  // it died a moment ago
    if (lost_batch_.empty()) lost_batch_ = fmt::format("the process of model '{}' has ended", source_.name);
    return;
  }
  place_rows(job);
  order_batch(*serving_, job, ++batch_, parts_, arena_);
}

bool ModelWorker::is_noticed(std::int64_t now_ns) {
  if (!is_busy_ || !lost_batch_.empty()) return true;
  if (serving_ && serving_->board().done.load(std::memory_order_acquire) == batch_) return true;
  if (now_ns < limit_ns_) return false;
  lost_batch_ = fmt::format("model '{}' did not end its work within {}, and its process was ended", source_.name,
                            format_duration(seconds(limit_ns_ - start_ns_)));
  dismiss(std::move(serving_));
  begin_again(lost_batch_);
  return true;
}

BatchEnd ModelWorker::end() {
  is_busy_ = false;
  const std::int64_t at_ns = now_ns();
  if (!lost_batch_.empty()) {
    const std::string why = std::exchange(lost_batch_, {});
    return {.finish_ns = at_ns, .failure = {500, why + " while it worked on this request: send it again in a while"}};
  }
  return read_batch_end(serving_->board(), start_ns_, at_ns, source_.name);
}

std::string_view ModelWorker::output_of(const PendingRequest& request, Refusal& refusal) {
  if (const std::optional<int> row = row_with_nan(serving_->board(), request)) {
    refusal = {500, fmt::format("model '{}' returned NaN for sample {} of this request: check the input; if it is as "
                                "it should be, the model's weights are broken or its arithmetic overflows",
                                source_.name, *row)};
    return {};
  }
  return output_rows(*serving_, request, output_);
}

}  // namespace stash
