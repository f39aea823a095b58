#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/launch/pool/pool_message_fields.h"
#include "stash/launch/protocol/event_fields.h"
#include "stash/launch/protocol/order_fields.h"
#include "stash/launch/protocol/shared_names.h"
#include "support/file_content.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace stash {
namespace {

// Collects the keys of a list of fields.
struct KeyLister {
  std::vector<std::string> keys;
  template <class T>
  void operator()(const char* key, T&, double = 0) {
    keys.emplace_back(key);
  }
};

template <class T>
std::vector<std::string> keys_of() {
  KeyLister lister;
  T value;
  fields(lister, value);
  return lister.keys;
}

std::string tuple_line(std::string_view name, const std::vector<std::string>& words) {
  return fmt::format("{} = (\"{}\")\n", name, fmt::join(words, "\", \""));
}

// python/stash/shared_names.py as it has to be.
std::string python_names() {
  std::string text =
      "\"\"\"Names that the program and Python share, written from src/stash/launch/protocol by\n\n"
      "    STASH_WRITE_NAMES=1 stash_launch_tests --gtest_filter='Protocol.*'\n\"\"\"\n\n";
  for (const auto& [name, value] : kSharedNames) text += fmt::format("{} = \"{}\"\n", name, value);
  text += tuple_line("SCRIPT_ORDER_KEYS", keys_of<ScriptOrder>());
  text += fmt::format("ERROR_EVENT = \"{}\"\n", ErrorEvent::kName);
  text += tuple_line("ERROR_KEYS", keys_of<ErrorEvent>());
  text += fmt::format("WARNING_EVENT = \"{}\"\n", WarningEvent::kName);
  text += tuple_line("WARNING_KEYS", keys_of<WarningEvent>());
  text += fmt::format("TRAINED_EVENT = \"{}\"\n", TrainedEvent::kName);
  text += tuple_line("TRAINED_KEYS", keys_of<TrainedSoFar>());
  text += fmt::format("POOL_PROTOCOL = {}\n", kPoolProtocol);
  text += fmt::format("JOIN_MESSAGE = \"{}\"\n", JoinMessage::kName);
  text += tuple_line("JOIN_KEYS", keys_of<JoinMessage>());
  text += fmt::format("REPORT_MESSAGE = \"{}\"\n", ReportMessage::kName);
  text += tuple_line("REPORT_KEYS", keys_of<ReportMessage>());
  text += fmt::format("LEAVE_MESSAGE = \"{}\"\n", LeaveMessage::kName);
  text += fmt::format("SHARE_MESSAGE = \"{}\"\n", ShareMessage::kName);
  text += tuple_line("SHARE_KEYS", keys_of<ShareMessage>());
  text += fmt::format("RECORDED_EVENT = \"{}\"\n", RecordedEvent::kName);
  text += tuple_line("RECORDED_KEYS", keys_of<RecordedEvent>());
  text += fmt::format("SCRIPT_EVENT = \"{}\"\n", ScriptEvent::kName);
  text += tuple_line("SCRIPT_KEYS", keys_of<ScriptFacts>());
  std::vector<std::string> kinds;
  for (const FaultKind kind : every(FaultKind{})) kinds.emplace_back(to_string(kind));
  return text + tuple_line("FAULT_KINDS", kinds);
}

TEST(Protocol, PythonHasTheSameNames) {
  const std::filesystem::path file = std::filesystem::path(STASH_ROOT) / "python" / "stash" / "shared_names.py";
  if (std::getenv("STASH_WRITE_NAMES") != nullptr) write_file_atomically(file, python_names());
  EXPECT_EQ(file_content(file), python_names()) << "write it anew with STASH_WRITE_NAMES=1";
}

// One of each kind, with every field set to something that is not its default.
std::vector<RankEvent> some_events() {
  const InputCounters counters{.rank = 1, .samples = 64, .skipped_files = {"a.jpg"}};
  const CollectiveSummary collective{.rank = 1, .op = "allreduce", .bytes = 8, .count = 2};
  Job job;
  job.command = {"python", "train.py"};
  return {PhaseEvent{"warming up"},
          PilotEvent{.edge_s = 0.5, .round_s = 2, .rounds_start_ns = 123'456'789'012'345},
          MachineEvent{.versions = {{"torch", "2.13.0"}}, .gpus = {{.name = "H200", .memory_bytes = 150}}},
          JobEvent{job},
          WindowEvent{{.condition = Condition::node,
                       .steps = 4,
                       .ranks = {RankSample{.wall_s = 0.5}, std::nullopt},
                       .resident_ratio = {},
                       .queued_start_samples = {},
                       .queued_end_samples = {}}},
          PlacesEvent{{{.host = "gpu01", .node = 1}}},
          LinksEvent{{LinkTime{.scope = "node", .ranks = 2}}},
          LayersEvent{{{.name = "conv1", .op = "conv2d", .forward_s = 0.25, .backward_s = std::nullopt}}},
          BucketsEvent{{{.bytes = 1000, .parameters = 3}}},
          GroupsEvent{{{.name = "tp", .used_by = {"FSDP"}, .groups = 2, .ranks = 4}}},
          TriedEvent{{{.fix = "workers:4", .left_out = "the loader has none"}}},
          CollectivesEvent{{collective}},
          InputEvent{counters},
          RankTraceEvent{1, Condition::apart, {.rank = 1, .host = {{SpanKind::step, 0, 10, 0, ""}}}},
          ClocksEvent{0.001},
          LossEvent{6.5},
          WarningEvent{.rank = 3, .text = "memory could not be pinned"},
          FactsEvent{{{.rank = 1, .host = "b", .node = 1, .device = "GPU-1", .interface = "eth0", .clock_s = 0.001}}},
          ElsewhereEvent{"gpu01"},
          StoppedEvent{StoppedBy::time},
          ErrorEvent{.kind = FaultKind::peer, .message = "connection reset", .lost = {0, 2}},
          CountersEvent{{.rank = 1, .steps = 5, .step_s = 1, .input_wait_s = 0.5, .collectives = {collective}}},
          RecordedEvent{.trace = "/tmp/work.json", .batch = 8, .sample_bytes = 12, .parameters = {{{3, 4}, {4}}}},
          TrainedEvent{{.samples = 64, .s = 2, .waited_s = 0.5, .workers = 3}},
          ScriptEvent{{.input = "get_batch",
                       .parameters = 12,
                       .optimizers = {"AdamW"},
                       .stored_as = {"fp32"},
                       .autocast = {"bf16"},
                       .wrappers = {"DDP"},
                       .peak_memory_bytes = 1 << 20}}};
}

TEST(Protocol, EveryEventComesBackAsItWas) {
  const std::vector<RankEvent> events = some_events();
  ASSERT_EQ(events.size(), std::variant_size_v<RankEvent>);
  for (std::size_t kind = 0; kind < events.size(); ++kind) {
    ASSERT_EQ(events[kind].index(), kind) << "one of each";
    const std::string line = to_line(events[kind]);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const RankEvent back = event_from_line(line);
    EXPECT_EQ(back.index(), kind) << line;
    EXPECT_EQ(to_line(back), line);
  }
}

TEST(Protocol, ALineThatIsNoEventSaysWhy) {
  const auto why = [](const char* line) { return message_of<Error>([&] { event_from_line(line); }); };
  EXPECT_NE(why(R"({"event": "lunch"})").find("no event 'lunch'"), std::string::npos);
  EXPECT_NE(why(R"({"text": "x"})").find("names no event"), std::string::npos);
  EXPECT_NE(why(R"({"event": "loss"})").find("loss.loss is missing"), std::string::npos);
  EXPECT_NE(why(R"({"event": "error", "kind": "mood", "message": "", "lost": []})").find("'mood'"), std::string::npos);
}

Order some_order() {
  Order order;
  order.purpose = Purpose::links;
  order.job.model = "vgg11";
  order.max_link_bytes = 1 << 20;
  order.pool = {.socket = "/tmp/pool", .name = "a", .job = "key", .min_workers = 2, .max_workers = 5};
  order.samples = 1000;
  order.first_rank = 4;
  order.crew_size = 2;
  order.team_size = 8;
  order.first_local_rank = 1;
  order.nodes = {{"gpu01", "key 1"}, {"gpu02", "key 2"}};
  order.job_key = "abc";
  order.store_file = "/tmp/rendezvous-1";
  order.meeting = {.address = "10.0.0.1", .port = 29500, .is_served = true, .attempt = "2"};
  order.interface = "eth0";
  order.timeout_s = 90;
  order.on_gpus = true;
  order.stay = true;
  return order;
}

TEST(Protocol, AnOrderComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "order.json";
  const Order order = some_order();
  write_order(file, order);
  const Order back = read_order(file);
  EXPECT_EQ(json_fields::write(back), json_fields::write(order));
  EXPECT_EQ(back.purpose, Purpose::links);
  EXPECT_EQ(back.max_link_bytes, 1 << 20);
  EXPECT_EQ(back.job, order.job);
  EXPECT_EQ(back.meeting, order.meeting);
}

TEST(Protocol, AnUnknownPurposeIsRefusedAndNotTakenForAnother) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "order.json";
  nlohmann::json json = json_fields::write(some_order());
  json["purpose"] = "lunch";
  std::ofstream(file) << json.dump();
  EXPECT_NE(message_of<Error>([&] { read_order(file); }).find("order.purpose is 'lunch'"), std::string::npos);
}

}  // namespace
}  // namespace stash
