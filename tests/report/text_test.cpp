#include <gtest/gtest.h>

#include "../core/contains.h"
#include "report/first_line.h"
#include "report_fixture.h"
#include "stash/report/report.h"

namespace stash {

namespace {

using testing_support::first_line;
using testing_support::interconnect_profile;
using testing_support::make_profile;
using testing_support::report_of;

std::string text_of(const Profile& profile, const ReportOptions& options = {},
                    std::optional<double> usd_per_hour = {}) {
  return render_text(report_of(profile, usd_per_hour), options);
}

std::string verdict_of(const Profile& profile) { return first_line(text_of(profile)); }

}  // namespace

TEST(TextReport, WhatWasSeenInAScriptStandsBelowTheJob) {
  Profile profile = interconnect_profile();
  profile.script = ScriptFacts{.input = "get_batch",
                               .parameters = 1'581'066,
                               .optimizers = {"AdamW"},
                               .stored_as = {"fp32"},
                               .autocast = {"bf16"},
                               .wrappers = {"DDP", "compile"},
                               .peak_memory_bytes = 392'000'000};
  ScriptWork work;
  work.passes = 2;
  work.rows = {{WorkClass::matrix, "bf16", WorkPass::forward, 0.01, 1e9, 1e6, 10},
               {WorkClass::memory, "fp32", WorkPass::forward, 0.02, 0, 1e6, 10}};
  profile.work = work;
  EXPECT_CONTAINS(text_of(profile),
                  "seen in the script: 1,581,066 parameters in fp32, autocast to bf16, AdamW, DDP, compiled, 2 passes "
                  "per step, matrix products in bf16, batches from get_batch, 392 MB of memory at its peak\n");
  profile.script = ScriptFacts{};
  profile.work.reset();
  EXPECT_CONTAINS(text_of(profile), "seen in the script: 0 parameters\n");
}

TEST(TextReport, IsThisPage) {
  EXPECT_EQ(text_of(interconnect_profile()),
            R"(interconnect costs 41 % of every step (37.1 of 90.2 ms); prep 10 %, compute 48 %
resnet50, batch 64 per rank, 2 ranks on cpu (gloo, fp32); node1 with 8 cores of Some CPU

  part         ms per step  % of step   95 % interval, ms
  compute            43.30       48.0   43.11 to 43.49
  contention          0.20        0.2   not distinguishable from 0 (±0.22 ms)
  interconnect       37.10       41.1   36.88 to 37.32
  network                –          –   the job runs on one node
  copy                   –          –   the CPU needs no copies
  prep                9.40       10.4   9.10 to 9.70
  fetch               0.20        0.2   not distinguishable from 0 (±0.22 ms)
  step               90.20      100.0   90.09 to 90.31

  █████████████████████████████████████░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
  C                                    OI                               P
  C compute 48 %   O contention 0 %   I interconnect 41 %   P prep 10 %

step by condition, ms:  solo 43.30  apart 43.50  node 80.60  hot 90.00  cold 90.20
prep assumes Stash's own loader
late rank: none
sampling stopped after 6 rounds (31.0 s): every interval is within ±2 % of the step
as the Stash study (ICDCS 2023) counts: interconnect 46.3 %, network –, prep 10.4 %, fetch 0.2 %
)");
}

TEST(TextReport, PricedInAsciiOnAnEmulatedDeviceIsThisPage) {
  Profile profile = interconnect_profile();
  profile.job.device = "emulated:v100";
  EXPECT_EQ(text_of(profile, {.unicode = false, .width = 60}, 24.48),
            R"(emulated V100: interconnect costs 41 % of every step (37.1 of 90.2 ms); prep 10 %, compute 48 %
resnet50, batch 64 per rank, 2 ranks on emulated V100 (gloo, fp32); node1 with 8 cores of Some CPU

  part         ms per step  % of step   95 % interval, ms         $/h
  compute            43.30       48.0   43.11 to 43.49          11.75
  contention          0.20        0.2   not distinguishable from 0 (+-0.22 ms)
  interconnect       37.10       41.1   36.88 to 37.32          10.07
  network                -          -   the job runs on one node
  copy                   -          -   an emulated accelerator gets no copies
  prep                9.40       10.4   9.10 to 9.70             2.55
  fetch               0.20        0.2   not distinguishable from 0 (+-0.22 ms)
  step               90.20      100.0   90.09 to 90.31          24.48

  CCCCCCCCCCCCCCCCCCCCCCCCCCCCIIIIIIIIIIIIIIIIIIIIIIIIPPPPPP
  C compute 48 %   I interconnect 41 %   P prep 10 %

first: give each rank 2 input workers instead of 1: saves about 9.40 ms (9.10 to 9.70) of 90.20 per step, 10 %, $2.55 per hour
  how: --workers 2
  because a step waits 9.40 ms for batches and takes 80.6 ms without input; a rank has 4 cores

step by condition, ms:  solo 43.30  apart 43.50  node 80.60  hot 90.00  cold 90.20
prep assumes Stash's own loader
late rank: none
sampling stopped after 6 rounds (31.0 s): every interval is within +-2 % of the step
as the Stash study (ICDCS 2023) counts: interconnect 46.3 %, network -, prep 10.4 %, fetch 0.2 %
)");
}

TEST(TextReport, AsciiPageHasNothingElse) {
  Profile profile = interconnect_profile();
  profile.job.model = "r\u00e9seau";
  profile.warnings = {"\u03c0 \u00b1 1"};
  profile.job.precision_ratio = 0.0001;
  for (const unsigned char c : text_of(profile, {.unicode = false})) EXPECT_LT(c, 0x80);
}

TEST(Verdict, NothingButComputeMatters) {
  EXPECT_EQ(verdict_of(make_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1005}}, 0.00001)),
            "nothing but compute matters: the largest stall, contention, costs 0.5 % of every step (0.51 of 101 ms); "
            "compute 99 %");
}

TEST(Verdict, LargestStallThatCannotBeToldFromZero) {
  const std::string verdict = verdict_of(make_profile({{Condition::solo, 0.1}, {Condition::apart, 0.1005}}, 0.002));
  EXPECT_CONTAINS(verdict, "no stall is distinguishable from zero: the largest, contention, is ");
  EXPECT_CONTAINS(verdict, " in a step of 10");
}

TEST(Verdict, WithoutStallsTheStepIsAllThereIs) {
  EXPECT_EQ(verdict_of(make_profile({{Condition::solo, 0.1}})), "a step takes 100 ms; no stall was measured");
}

TEST(Verdict, ChainWithoutSoloNamesNoCompute) {
  EXPECT_EQ(verdict_of(make_profile({{Condition::node, 0.1}, {Condition::hot, 0.2}}, 0.00001)),
            "prep costs 50 % of every step (100 of 200 ms)");
}

TEST(TextReport, IncompleteProfileSaysSo) {
  Profile profile = interconnect_profile();
  profile.complete = false;
  profile.stopped_by = StoppedBy::fault;
  EXPECT_CONTAINS(text_of(profile), "\nINCOMPLETE: the profile ended early (fault)");
  EXPECT_CONTAINS(text_of(profile), "a fault ended it");
}

TEST(TextReport, InjectedStallsAreNamed) {
  Profile profile = interconnect_profile();
  profile.job.inject.read_bytes_per_s = 20e6;
  EXPECT_CONTAINS(text_of(profile), "injected stalls: read=20MB/s\n");
}

TEST(TextReport, LateRankIsNamed) {
  Profile profile = interconnect_profile();
  for (Window& window : profile.windows) {
    if (window.condition == Condition::apart) window.ranks[1]->wall_s += 0.030 * window.steps;
  }
  EXPECT_CONTAINS(text_of(profile),
                  "late rank: 1 is 30.0 ms per step behind the median of the other ranks, first under apart");
}

TEST(TextReport, HostileHostOfALateRankIsHarmlessInTheFirstStep) {
  Profile profile = make_profile({{Condition::solo, 0.1}, {Condition::apart, 0.13}});
  profile.places = {{"alpha", 0}, {"\x1b[2Jbeta\n", 0}};
  for (Window& window : profile.windows) {
    if (window.condition == Condition::apart) window.ranks[0]->wall_s -= 0.030 * window.steps;
  }
  const std::string text = text_of(profile);
  EXPECT_CONTAINS(text, "\nfirst: look at rank 1 on ?[2Jbeta?, which keeps the others waiting: saves about 30");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TextReport, ColourOnlyWhenAskedFor) {
  EXPECT_EQ(text_of(interconnect_profile()).find('\x1b'), std::string::npos);
  EXPECT_CONTAINS(text_of(interconnect_profile(), {.color = true}), "\x1b[32m██");
}

TEST(TextReport, EscapesInStringsOfTheFileAreHarmless) {
  Profile profile = interconnect_profile();
  const std::string hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e\xc2\x9b\xff";
  for (std::string* text : {&profile.job.model, &profile.job.backend, &profile.job.dtype, &profile.machine.hostname,
                            &profile.machine.cpu}) {
    *text = hostile;
  }
  profile.job.device = hostile;
  profile.warnings = {"line\nbreak \x1b[31m"};
  profile.machine.gpus = {{"\x1b[1m", std::nullopt}};
  const std::string text = text_of(profile);
  EXPECT_EQ(text.find_first_of("\x1b\r\x07"), std::string::npos);
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  EXPECT_CONTAINS(text, "warning: line?break ?[31m\n");
}

TEST(TextReport, ManyWarningsAreCutShort) {
  Profile profile = interconnect_profile();
  profile.warnings.assign(1000, std::string(10'000, 'w'));
  EXPECT_LT(text_of(profile).size(), 50'000u);
  EXPECT_CONTAINS(text_of(profile), "and 950 warnings more");
}

TEST(TextReport, StepOfNoTimeIsStillAPage) {
  EXPECT_CONTAINS(text_of(make_profile({{Condition::solo, 0}, {Condition::hot, 0}}, 0)), "nothing was measured");
}

}  // namespace stash
