// What the time stamps of a request cost, beside what the server's thread does for a request.
//
//   serve_stamps [--rate 20000] [--for 3s]
//
// A server with a model that takes no time answers an open-loop load of small requests; its thread's CPU time is
// divided by them. Then the stamps are taken in a loop: as often as for a request, with the split into parts and the
// counting.

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <thread>

#include "stash/core/clock.h"
#include "stash/core/cpu_clock.h"
#include "stash/core/units.h"
#include "stash/serve/batching/model_queue.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/load/load_summary.h"
#include "stash/serve/load/run_load.h"
#include "stash/serve/server/model_server.h"

namespace {

// begun, arrived, dispatched, started, finished, noticed, answered; those of a batch are taken once for all of it.
constexpr int kStamps = 7;
constexpr int kLoops = 1'000'000;
constexpr double kMostShare = 0.01;

struct Served {
  double cpu_s = 0;
  stash::LoadSummary load;
};

Served serve(double rate_per_s, double duration_s) {
  stash::ServedModel model =
      stash::make_served_model(stash::parse_model_source("sleep:0s"), stash::find_gpu("V100"), stash::DType::fp32, 8);
  stash::ModelServer server({.port = 0}, {model}, {.most_batch = 8}, {});
  const int stop = eventfd(0, EFD_CLOEXEC);
  Served served;
  std::thread thread([&] {
    const double before_s = stash::seconds(stash::thread_cpu_ns());
    server.run(stop);
    served.cpu_s = stash::seconds(stash::thread_cpu_ns()) - before_s;
  });
  const stash::LoadTarget target = stash::parse_load_target(fmt::format("127.0.0.1:{}/sleep", server.port()));
  const std::string metadata =
      R"({"name":"sleep","inputs":[{"name":"input","datatype":"FP32","shape":[-1,16]}],"outputs":[]})";
  const std::string request = stash::infer_request(target, metadata, stash::TensorForm::binary, 1);
  const stash::ArrivalPlan plan = stash::plan_arrivals(rate_per_s, duration_s, stash::Spacing::poisson, 1);
  served.load = stash::summarize_load(stash::run_load(target, request, plan, {}).requests, std::nullopt);
  eventfd_write(stop, 1);
  thread.join();
  close(stop);
  return served;
}

double stamps_s() {
  stash::ModelCounts counts;
  const double before_s = stash::seconds(stash::thread_cpu_ns());
  for (int i = 0; i < kLoops; ++i) {
    stash::RequestTimes times;
    for (std::int64_t* const stamp : {&times.begun_ns, &times.arrived_ns, &times.dispatched_ns, &times.started_ns,
                                      &times.finished_ns, &times.noticed_ns, &times.answered_ns}) {
      *stamp = stash::now_ns();
    }
    stash::count_answer(counts, times);
  }
  return counts.answered > 0 ? (stash::seconds(stash::thread_cpu_ns()) - before_s) / kLoops : 0;
}

void report_stamps(double rate_per_s, double duration_s) {
  const Served served = serve(rate_per_s, duration_s);
  const double request_s = served.cpu_s / static_cast<double>(served.load.answered);
  const double one_s = stamps_s();
  fmt::print("{} requests at {:.0f} per second: {} of the server's thread for each, p50 {}\n", served.load.answered,
             rate_per_s, stash::format_duration(request_s),
             stash::format_duration(served.load.p50 ? served.load.p50->s : 0));
  fmt::print("{} time stamps, their parts and counts: {}, {:.2f} % of the thread's time, {:.2f} % of p50 ({})\n",
             kStamps, stash::format_duration(one_s), 100 * one_s / request_s,
             served.load.p50 ? 100 * one_s / served.load.p50->s : 0,
             served.load.p50 && one_s < kMostShare * served.load.p50->s ? "less than 1 %" : "more than 1 %");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What the time stamps of a request cost");
  double rate_per_s = 20'000;
  std::string duration = "3s";
  app.add_option("--rate", rate_per_s, "requests per second")->capture_default_str();
  app.add_option("--for", duration, "how long")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    report_stamps(rate_per_s, stash::parse_duration_s(duration, "--for"));
  } catch (const std::exception& error) {
    fmt::print(stderr, "serve_stamps: {}\n", error.what());
    return 1;
  }
  return 0;
}
