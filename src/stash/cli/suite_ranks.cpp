#include "stash/cli/suite_ranks.h"

#include "stash/cli/exit_codes.h"
#include "stash/cli/progress.h"
#include "stash/cli/run_progress.h"
#include "stash/core/error.h"
#include "stash/core/version.h"
#include "stash/launch/cluster/crew_plan.h"

namespace stash {
namespace {

PeerHello own_hello(const LaunchedProcess& launched, const StartFlags& start, const GivenFlags& flags) {
  NodeIdentity node = start.node();
  return {.rank = launched.rank,
          .host = std::move(node.host),
          .node = std::move(node.key),
          .stash = kVersion,
          .flags = flags};
}

MeetingPoint meeting_of(const LaunchedProcess& launched) { return plan_crew(launched, launched.size).meeting; }

}  // namespace

std::optional<LaunchedProcess> joint_launch(const StartFlags& start) {
  auto launched = start.launched();
  return launched && launched->size > 1 ? launched : std::nullopt;
}

SuiteRanks::SuiteRanks(const StartFlags& start, const GivenFlags& flags) : start_(start) {
  const auto launched = joint_launch(start);
  if (!launched) return;
  launched_ = LaunchedBattery{.process = *launched};
  others_ = std::make_unique<PeerLeader>(*launched, meeting_of(*launched), own_hello(*launched, start, flags),
                                         start.timeout_s());
}

void SuiteRanks::gather() {
  if (!others_) return;
  StatusLine line;
  others_->gather([&](std::string_view text) { line.show(text); });
  launched_->machines = others_->nodes();
}

void SuiteRanks::resolve() {
  const auto own = [this] { return start_.resolve(); };
  if (others_) joint_.emplace(*others_, launched_->process, start_.timeout_s());
  options_ = joint_ ? joint_->get_ready(own) : own();
}

CrewRun SuiteRanks::run(const Case& one, const std::function<void(CrewOptions&)>& set) {
  CrewOptions options = options_;
  set(options);
  if (joint_) return joint_->run(one.job, std::move(options), ranks_, DataProgress());
  options.nodes = one.nodes;
  return run_case(one.job, std::move(options), ranks_, DataProgress());
}

void SuiteRanks::dismiss(int exit_code) {
  if (others_) others_->dismiss(exit_code);
}

int follow_suite(const LaunchedProcess& launched, const StartFlags& start, const GivenFlags& flags) {
  PeerFollower leader(launched.size, meeting_of(launched), own_hello(launched, start, flags), start.timeout_s());
  return follow_cases(leader, launched, [&] { return start.resolve(); }).value_or(kExitInterrupted);
}

}  // namespace stash
