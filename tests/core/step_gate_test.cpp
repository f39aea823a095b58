#include "stash/core/step_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "stash/core/clock.h"
#include "support/eventually.h"

namespace stash {
namespace {

// A thread that makes steps of a millisecond until it is told to end.
class Stepper {
 public:
  explicit Stepper(StepGate& gate) : gate_(gate), thread_([this] { run(); }) {}
  ~Stepper() {
    end_ = true;
    gate_.open();
    thread_.join();
  }
  int steps() const { return steps_; }

 private:
  void run() {
    while (!end_) {
      sleep_until_ns(now_ns() + 1'000'000);
      ++steps_;
      gate_.step_end();
    }
  }

  StepGate& gate_;
  std::atomic<int> steps_{0};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

}  // namespace

TEST(StepGate, LetsExactlySoManyStepsPass) {
  StepGate gate(3, nullptr);
  const Stepper stepper(gate);
  gate.wait_for_stop();
  EXPECT_EQ(stepper.steps(), 3);
  for (const int steps : {1, 7, 20}) {
    const int before = stepper.steps();
    const double s = gate.run(steps);
    EXPECT_EQ(stepper.steps(), before + steps);
    EXPECT_GE(s, 0.001 * steps);
  }
}

TEST(StepGate, TimesTheStepsAndNotTheWaiting) {
  StepGate gate(1, nullptr);
  const Stepper stepper(gate);
  gate.wait_for_stop();
  sleep_until_ns(now_ns() + 300'000'000);
  EXPECT_LT(gate.run(5), 0.2);
}

TEST(StepGate, SettlesBeforeItsClockIsRead) {
  StepGate gate(1, [] { sleep_until_ns(now_ns() + 20'000'000); });
  const Stepper stepper(gate);
  EXPECT_GE(gate.run(1), 0.02);
}

// The stepping thread is left behind where it waits, so that the test fails instead of hanging.
TEST(StepGate, OpenIsNeverWaitedAt) {
  constexpr int kSteps = 50;
  const auto gate = std::make_shared<StepGate>(1, nullptr);
  const auto passed = std::make_shared<std::atomic<int>>(0);
  std::thread([gate, passed] {
    for (int i = 0; i < kSteps; ++i) {
      gate->step_end();
      ++*passed;
    }
  }).detach();
  gate->run(2);
  EXPECT_EQ(*passed, 2) << "it waits at the end of the third step";
  gate->open();
  EXPECT_TRUE(eventually([&] { return *passed == kSteps; })) << *passed;
}

TEST(StepGate, NoStepsTakeNoTime) {
  StepGate gate(1, nullptr);
  const Stepper stepper(gate);
  EXPECT_EQ(gate.run(0), 0);
}

TEST(StepGate, TheCommanderLearnsThatNoMoreStepsCome) {
  StepGate gate(100, nullptr);
  std::thread ender([&] { gate.end(); });
  EXPECT_THROW(gate.run(1), StepsEnded);
  ender.join();
}

}  // namespace stash
