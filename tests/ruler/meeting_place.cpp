#include "meeting_place.h"

#include <algorithm>

namespace stash {

// No rank can come to the next meeting before it has left this one, so `last_` stays as long as someone needs it.
MeetingPlace::AllWords MeetingPlace::meet(int rank, Words own) {
  std::unique_lock lock(mutex_);
  coming_[static_cast<std::size_t>(rank)] = std::move(own);
  if (++arrived_ == coming_.size()) {
    arrived_ = 0;
    ++meetings_;
    last_ = std::make_shared<const std::vector<Words>>(coming_);
    changed_.notify_all();
    return last_;
  }
  const int before = meetings_;
  changed_.wait(lock, [&] { return meetings_ != before || given_up_; });
  if (meetings_ == before) throw RankGone();
  return last_;
}

void MeetingPlace::send(int from, int to, Words words) {
  const std::lock_guard lock(mutex_);
  letters_[{from, to}].push_back(std::move(words));
  changed_.notify_all();
}

Words MeetingPlace::receive(int from, int to) {
  std::unique_lock lock(mutex_);
  std::deque<Words>& box = letters_[{from, to}];
  changed_.wait(lock, [&] { return !box.empty() || given_up_; });
  if (box.empty()) throw RankGone();
  Words words = std::move(box.front());
  box.pop_front();
  return words;
}

void MeetingPlace::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

std::int64_t latest_ns(const std::vector<Words>& words) { return std::ranges::max(words, {}, &Words::at_ns).at_ns; }

}  // namespace stash
