#include "stash/measure/rank.h"

#include <cstdlib>
#include <functional>
#include <optional>

#include "stash/core/error.h"
#include "stash/launch/peer_errors.h"
#include "stash/launch/protocol/shared_names.h"
#include "stash/measure/built_in_job.h"
#include "stash/measure/events.h"
#include "stash/measure/inspection.h"

namespace stash {
namespace {

int inherited_fd(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

// The CPU's allocator has no exception of its own.
FaultKind kind_of(const c10::Error& error) {
  const bool lacks_memory = error.msg().find("can't allocate memory") != std::string::npos;
  return lacks_memory ? FaultKind::memory : FaultKind::environment;
}

// Why a rank gave up.
struct Failure {
  ErrorEvent error;
  int code;
};

std::optional<Failure> failure_of(const std::function<void()>& run) {
  try {
    run();
    return std::nullopt;
  } catch (const UsageError& error) {
    return Failure{{FaultKind::usage, error.what(), {}}, 2};
  } catch (const Error& error) {
    return Failure{{FaultKind::environment, error.what(), {}}, 1};
  } catch (const c10::OutOfMemoryError& error) {
    return Failure{{FaultKind::memory, error.what_without_backtrace(), {}}, 1};
  } catch (const c10::Error& error) {
    return Failure{{kind_of(error), error.what_without_backtrace(), {}}, 1};
  } catch (const std::bad_alloc&) {
    return Failure{{FaultKind::memory, "memory could not be allocated", {}}, 1};
  } catch (const std::exception& error) {
    return Failure{{FaultKind::environment, error.what(), {}}, 1};
  }
}

// The supervisor knows what became of the ranks that it started; of others the ranks know more.
void explain(ErrorEvent& error, Team& team, bool crew_is_whole) {
  const bool own = !is_of_a_lost_peer(error.message);
  if (!own) error.kind = FaultKind::peer;
  if (crew_is_whole) return;
  Team::Reason reason = team.part(error.message, own);
  if (!reason.message.empty()) error.message = std::move(reason.message);
  error.lost = std::move(reason.lost);
}

void carry_out(const RankSetup& setup, const Events& events) {
  switch (setup.order.purpose) {
    case Purpose::profile:
      return profile_built_in_job(setup, events);
    case Purpose::links:
      return inspect_links(setup, events);
    case Purpose::doctor:
      return inspect_ranks(setup, events);
    case Purpose::train:
      return train_built_in_job(setup, events);
  }
}

}  // namespace

GroupControl control_of(const RankSetup& setup) {
  return {setup.control->getBackend(c10::kCPU), setup.state(), setup.order.is_whole() ? &setup.shared : nullptr};
}

int run_rank(const RankSetup& setup) {
  const Events events(inherited_fd(kEventFdVariable));
  std::optional<Failure> failure = failure_of([&] { carry_out(setup, events); });
  if (!failure) return 0;
  setup.state().beat(Phase::waiting);  // for the others' words
  explain(failure->error, setup.team, setup.order.is_whole());
  events.send(failure->error);
  return failure->code;
}

}  // namespace stash
