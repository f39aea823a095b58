#include "stash/cli/run_progress.h"

#include "stash/core/clock.h"

namespace stash {

void RunProgress::show(const Collector& collector) { line_.show(before_ + text_.line(collector, now_ns())); }

void DataProgress::operator()(InputKind kind, std::int64_t done, std::int64_t total) {
  if (!progress_) {
    progress_ = std::make_shared<CountProgress>(kind == InputKind::images ? "making a data set: image"
                                                                          : "making a data set: token");
  }
  progress_->show(done, total);
}

}  // namespace stash
