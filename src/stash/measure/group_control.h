#pragma once

#include <atomic>

#include "stash/launch/shared_state.h"
#include "stash/measure/torch_headers.h"
#include "stash/ruler/control.h"

namespace stash {

// Ranks tell each other over a backend of its own.
class GroupControl final : public Control {
 public:
  // `backend` null: there is one rank. `page` is that of all ranks where one supervisor started them: they meet there
  // within microseconds of each other, where a backend's own threads would take milliseconds of their cores.
  GroupControl(c10::intrusive_ptr<c10d::Backend> backend, RankState& state, SharedState* page = nullptr)
      : Control(backend ? backend->getRank() : 0, backend ? backend->getSize() : 1),
        backend_(std::move(backend)),
        state_(state),
        page_(page) {}

  void barrier() override;
  // From another thread, while no one else uses the control: the next barrier() has been met already.
  void meet_ahead();
  std::vector<std::vector<double>> gather(std::span<const double> values) override;
  std::vector<std::string> gather_text(std::string_view text) override;
  void send(int rank, double value) override;
  double receive(int rank) override;

 private:
  void meet();

  c10::intrusive_ptr<c10d::Backend> backend_;
  RankState& state_;
  SharedState* page_;
  std::atomic<int> ahead_{0};
};

}  // namespace stash
