#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stash {

// Thrown on ranks that wait for one that has ended.
struct RankGone : std::runtime_error {
  RankGone() : std::runtime_error("another rank has ended") {}
};

// What a rank brings to a meeting, and when it comes.
struct Words {
  std::int64_t at_ns = 0;
  std::vector<double> values = {};
  std::string text = {};
};

// Where simulated ranks meet, each on a thread of its own. What they learn depends on their simulated times alone, and
// not on how their threads are scheduled.
class MeetingPlace {
 public:
  using AllWords = std::shared_ptr<const std::vector<Words>>;  // by rank

  explicit MeetingPlace(int ranks) : coming_(static_cast<std::size_t>(ranks)) {}

  AllWords meet(int rank, Words own);  // returns when all have come
  void send(int from, int to, Words words);
  Words receive(int from, int to);
  void give_up();  // a rank has ended: who still waits for it throws RankGone

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Words> coming_;
  std::size_t arrived_ = 0;
  int meetings_ = 0;
  AllWords last_;
  std::map<std::pair<int, int>, std::deque<Words>> letters_;
  bool given_up_ = false;
};

std::int64_t latest_ns(const std::vector<Words>& words);

}  // namespace stash
