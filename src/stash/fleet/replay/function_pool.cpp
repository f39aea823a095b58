#include "stash/fleet/replay/function_pool.h"

#include "stash/fleet/replay/varying_draw.h"

namespace stash {

double FunctionPool::call(double now_s, double work) {
  while (!busy_.empty() && busy_.top() <= now_s) {
    idle_.push_back(busy_.top());
    busy_.pop();
  }
  while (!idle_.empty() && idle_.front() + type_->kept_warm_s < now_s) idle_.pop_front();
  double takes_s = type_->work_s * work;
  ++calls_;
  if (idle_.empty()) {
    ++cold_;
    takes_s += draw_s(type_->cold_start, random_);
  } else {
    idle_.pop_back();
  }
  busy_.push(now_s + takes_s);
  usd_ += type_->usd_per_request + type_->usd_per_s * takes_s;
  return takes_s;
}

}  // namespace stash
