#include "stash/serve/server/model_server.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/load_request.h"
#include "stash/serve/load/run_load.h"
#include "stash/serve/protocol/model_metadata.h"

namespace stash {
namespace {

ServedModel echo(std::string name, double s, double load_s = 0) {
  const TensorSpec spec{.name = "x", .type = find_tensor_type("FP32"), .shape = {4}};
  return {.name = std::move(name),
          .platform = "test",
          .input = spec,
          .output = spec,
          .times = BatchTimes({{1, s}}),
          .load_s = load_s};
}

// A server in a thread, while it lives.
class RunningServer {
 public:
  explicit RunningServer(const ServeSettings& settings, double s = 0.0005, const ServeLimits& limits = {})
      : model_(echo("m", s, 0.002)), stop_(eventfd(0, EFD_CLOEXEC)), server({.port = 0}, {model_}, settings, limits) {
    server.on_answered = [this](const ServedRequest& one) { served.push_back(one); };
    thread_ = std::thread([this] { server.run(stop_.fd()); });
  }
  ~RunningServer() { stop(); }

  void stop() {
    if (!thread_.joinable()) return;
    eventfd_write(stop_.fd(), 1);
    thread_.join();
  }

  LoadTarget target() const { return parse_load_target("127.0.0.1:" + std::to_string(server.port()) + "/m"); }
  std::string request() const { return infer_request(target(), model_metadata(model_), TensorForm::binary, 1); }
  LoadRun load(double rate_per_s, double duration_s) const {
    return run_load(target(), request(), plan_arrivals(rate_per_s, duration_s, Spacing::poisson, 1),
                    {.connections = 16, .timeout_s = 10});
  }

 private:
  ServedModel model_;
  ClientSocket stop_;

 public:
  std::vector<ServedRequest> served;
  ModelServer server;

 private:
  std::thread thread_;
};

std::size_t answered_of(const LoadRun& run) {
  return static_cast<std::size_t>(std::ranges::count_if(run.requests, is_answered));
}

TEST(ModelServer, EveryRequestIsAnsweredInEveryWayAndWhileTheWaysChange) {
  for (const CompletionWay way :
       {CompletionWay::event, CompletionWay::blocking, CompletionWay::polling, CompletionWay::spinning}) {
    RunningServer running({.input = InputWay::gather, .completion = way, .most_batch = 4});
    std::jthread changer([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        running.server.set({.input = static_cast<InputWay>(i % 2),
                            .completion = static_cast<CompletionWay>(i % 4),
                            .batching = static_cast<BatchingWay>(i / 2 % 2),
                            .reload = static_cast<ReloadWay>(i / 4 % 2),
                            .most_batch = 4,
                            .batch_timeout_s = 0.001});
        running.server.reload("m");
        usleep(5000);
      }
    });
    const LoadRun run = running.load(500, 0.4);
    changer = {};
    EXPECT_EQ(answered_of(run), run.requests.size());
    running.stop();
    EXPECT_EQ(running.served.size(), run.requests.size());
  }
}

TEST(ModelServer, ClientAndServerKnowARequestByTheSameName) {
  RunningServer running({.most_batch = 4});
  const LoadRun run = running.load(500, 0.2);
  running.stop();
  for (const SentRequest& sent : run.requests) {
    const auto same = [&](const ServedRequest& one) { return one.peer_port == sent.port && one.number == sent.number; };
    const auto found = std::ranges::find_if(running.served, same);
    ASSERT_NE(found, running.served.end());
    EXPECT_EQ(std::ranges::count_if(running.served, same), 1);
    EXPECT_GE(found->times.arrived_ns, run.start_ns + sent.sent_ns);
    EXPECT_LE(found->times.noticed_ns, run.start_ns + sent.done_ns);
  }
}

// Whatever a connection brings, in whatever pieces, the others are answered.
TEST(ModelServer, NoiseOnConnectionsHarmsNobody) {
  RunningServer running({.most_batch = 4}, 0.0005, {.connections = 40, .request_bytes = 2000, .request_s = 0.3});
  const ServerAddress address(running.target());
  std::mt19937 random(11);
  std::vector<ClientSocket> noisy;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = running.request();
    for (unsigned n = random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 3 == 0) bytes += running.request();
    if (random() % 2 == 0) bytes.resize(random() % bytes.size());
    ClientSocket socket = address.connect(5);
    const std::size_t half = random() % (bytes.size() + 1);
    send(socket.fd(), bytes.data(), half, MSG_NOSIGNAL);
    send(socket.fd(), bytes.data() + half, bytes.size() - half, MSG_NOSIGNAL);
    // Some leave at once, even in the middle of a batch; others stay and read nothing.
    if (random() % 3 > 0) noisy.push_back(std::move(socket));
    if (noisy.size() > 20) noisy.erase(noisy.begin());
  }
  noisy.clear();
  const LoadRun run = running.load(300, 0.2);
  EXPECT_EQ(answered_of(run), run.requests.size());
}

}  // namespace
}  // namespace stash
