#include "stash/report/trace_import.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/contains.h"
#include "../import/kineto_trace.h"
#include "../import/made_trace.h"
#include "stash/core/error.h"

namespace stash {
namespace {

using nlohmann::json;
using testing_support::KinetoTrace;
using testing_support::MadeTrace;
using testing_support::TraceFile;

std::string import_of(const std::string& text, Format format, const ReportOptions& options = {}) {
  const TraceFile file(text);
  const std::filesystem::path paths[] = {file.path()};
  return render_import(import_traces(paths), format, options);
}

}  // namespace

TEST(TraceImport, IsThisPage) {
  EXPECT_EQ(import_of(KinetoTrace().text(), Format::text),
            R"(exposed communication costs 14 % of every step (140 µs of 1.00 ms); input 10 %, copy 6 %, compute 66 %

  rank  steps  ms per step  compute  communication   copy  input  launch  unexplained
  1         2        1.000    0.660          0.140  0.060  0.100   0.040        0.000

coverage: 100.0 % of a step is explained; traces of 1 of 4 ranks; 66.7 % of 6 kernels are recognised, 94.3 % of their time
communication runs for 400 µs per step; 65 % of that is hidden behind compute
a trace cannot tell: contention; interconnect and network apart (both are communication); prep and fetch apart
(both are input); how much of a collective is waiting for a late peer
warning: trace.json has kernels of names that are not recognised and count as compute: 'my_secret_op'
warning: trace.json has fewer than 3 steps (2): more give steadier figures
)");
}

TEST(TraceImport, OfSeveralRanksInAsciiIsThisPage) {
  MadeTrace fast, slow;
  for (int i = 0; i < 3; ++i) {
    fast.step(i, i * 100, 100).compute(i * 100, 60).collective(i * 100 + 50, 50);
    slow.step(i, i * 100, 100).compute(i * 100, 90).collective(i * 100 + 90, 10);
  }
  const TraceFile first(fast.of_rank(0, 8), "a.json"), second(slow.of_rank(1, 8), "b.json");
  const std::filesystem::path paths[] = {first.path(), second.path()};
  EXPECT_EQ(render_import(import_traces(paths), Format::text, {.unicode = false}),
            R"(exposed communication costs 25 % of every step (25.0 us of 100 us); compute 75 %

  rank  steps  ms per step  compute  communication  copy  input  launch  unexplained
  0         3        0.100    0.060          0.040     -      -       -        0.000
  1         3        0.100    0.090          0.010     -      -       -        0.000
  mean               0.100    0.075          0.025     -      -       -        0.000

coverage: 100.0 % of a step is explained; traces of 2 of 8 ranks; 100.0 % of 12 kernels are recognised, 100.0 % of their time
communication runs for 30.0 us per step; 17 % of that is hidden behind compute
late rank: 1 works 30.0 us longer per step than the others before it communicates
a trace cannot tell: contention; interconnect and network apart (both are communication); prep and fetch apart
(both are input); how much of a collective is waiting for a late peer
warning: a.json marks steps on the CPU only: averages are right, but single steps may include work of the step before
warning: a.json marks no wait for input: it is in launch or unexplained
warning: b.json marks steps on the CPU only: averages are right, but single steps may include work of the step before
warning: b.json marks no wait for input: it is in launch or unexplained
)");
}

TEST(TraceImport, AsJsonHoldsWhatThePageSays) {
  const std::string page = import_of(KinetoTrace().text(), Format::text);
  const json found = json::parse(import_of(KinetoTrace().text(), Format::json));
  EXPECT_EQ(found["schema_version"], 1);
  EXPECT_EQ(found["verdict"].get<std::string>() + "\n", page.substr(0, page.find('\n') + 1));
  EXPECT_NEAR(found["step_s"].get<double>(), 1e-3, 1e-12);
  EXPECT_NEAR(found["parts"]["compute_s"].get<double>(), 660e-6, 1e-12);
  EXPECT_NEAR(found["parts"]["communication_s"].get<double>(), 140e-6, 1e-12);
  EXPECT_NEAR(found["communication_total_s"].get<double>(), 400e-6, 1e-12);
  EXPECT_NEAR(found["coverage"]["recognised_ratio"].get<double>(), 4.0 / 6, 1e-12);
  EXPECT_EQ(found["coverage"]["world_size"], 4);
  EXPECT_TRUE(found["late_rank"].is_null());
  EXPECT_EQ(found["ranks"][0]["rank"], 1);
  EXPECT_EQ(found["ranks"][0]["steps"].size(), 2U);
  EXPECT_EQ(found["traces"][0]["truncated"], false);
  EXPECT_EQ(found["traces"][0]["unrecognised_names"], json{"my_secret_op"});
}

TEST(TraceImport, AsCsvHasARowForEachStep) {
  EXPECT_EQ(import_of(KinetoTrace().text(), Format::csv),
            R"(rank,device,step,s,compute_s,communication_s,copy_s,input_s,launch_s,unexplained_s
1,0,0,0.001000000,0.000660000,0.000140000,0.000060000,0.000100000,0.000040000,0.000000000
1,0,1,0.001000000,0.000660000,0.000140000,0.000060000,0.000100000,0.000040000,0.000000000
)");
}

TEST(TraceImport, PartsThatATraceCannotTellAreEmptyCells) {
  MadeTrace trace;
  trace.compute(0, 10).compute(30, 10);
  EXPECT_EQ(import_of(trace.text(), Format::csv),
            R"(rank,device,step,s,compute_s,communication_s,copy_s,input_s,launch_s,unexplained_s
0,0,0,0.000040000,0.000020000,,,,,0.000020000
)");
}

TEST(TraceImport, NamesOfKernelsComeOutAsText) {
  MadeTrace trace;
  trace.event("kernel", "evil\x1b[2J\x07<script>\xff", 0, 0, 10);
  const std::string page = import_of(trace.text(), Format::text);
  EXPECT_CONTAINS(page, "'evil?[2J?<script>?'");
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NO_THROW(json::parse(import_of(trace.text(), Format::json)));
}

}  // namespace stash
