#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stash/launch/shared_state.h"
#include "stash/measure/torch_headers.h"

namespace stash {

// What ranks tell each other about the measurement: a backend of its own, which no condition touches.
class Control {
 public:
  // `backend` null: there is one rank. `page` is that of all ranks where one supervisor started them: they meet there
  // within microseconds of each other, where a backend's own threads would take milliseconds of their cores.
  Control(c10::intrusive_ptr<c10d::Backend> backend, RankState& state, SharedState* page = nullptr)
      : backend_(std::move(backend)), state_(state), page_(page) {}

  int rank() const { return backend_ ? backend_->getRank() : 0; }
  int size() const { return backend_ ? backend_->getSize() : 1; }
  void barrier();
  // Every rank's values, by rank; all give the same number of them.
  std::vector<std::vector<double>> gather(std::span<const double> values);
  double from_rank_0(double value);
  void send(int rank, double value);
  double receive(int rank);
  // Every rank's text, on rank 0; empty elsewhere.
  std::vector<std::string> gather_text(std::string_view text);
  // True everywhere when any rank says so.
  bool any(bool value);

 private:
  c10::intrusive_ptr<c10d::Backend> backend_;
  RankState& state_;
  SharedState* page_;
};

}  // namespace stash
