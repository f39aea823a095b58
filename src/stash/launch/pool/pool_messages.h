#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace stash {

inline constexpr int kPoolProtocol = 1;

// What a process that loads tells the pool of its machine, and what it is told: one JSON object per line,
// {"message": name, and the fields}; pool_message_fields.h has the keys. python/stash/pool.py speaks the same.
struct JoinMessage {
  static constexpr std::string_view kName = "join";
  int protocol = kPoolProtocol;
  std::string name;  // of the job, for people
  std::string job;   // processes with the same key are ranks of one job
  int rank = 0;
  int ranks_here = 1;  // of the job, on this machine
  int pid = 0;
  int workers = 1;  // that it has without a pool
  int min_workers = 1;
  std::optional<int> max_workers{};
};
// Sums over the time since the last report, in which the number of workers did not change.
struct ReportMessage {
  static constexpr std::string_view kName = "report";
  int workers = 1;
  double elapsed_s = 0;
  std::int64_t samples = 0;
  std::int64_t batches = 0;
  double waited_s = 0;                   // by the training loop, for batches
  double busy_s = 0;                     // of all workers, on samples
  double cpu_s = 0;                      // of the process and its workers
  std::optional<double> samples_left{};  // of the job, until it ends
};
struct LeaveMessage {
  static constexpr std::string_view kName = "leave";
};
struct StatusMessage {  // answered with the state of the pool, one line
  static constexpr std::string_view kName = "status";
};
using PoolRequest = std::variant<JoinMessage, ReportMessage, LeaveMessage, StatusMessage>;

struct ShareMessage {
  static constexpr std::string_view kName = "share";
  int workers = 1;       // that are to work from now on
  int most_workers = 1;  // that it may ever be given: those to start
  double report_s = 1;   // between reports
};
struct RefusedMessage {
  static constexpr std::string_view kName = "refused";
  std::string why;
};
using PoolReply = std::variant<ShareMessage, RefusedMessage>;

inline constexpr std::size_t kMostPoolLine = 64 << 10;  // bytes of a request

std::string to_line(const PoolRequest& request);  // ends with a line break
std::string to_line(const PoolReply& reply);
PoolRequest request_from_line(std::string_view line);  // Error when it is none, or of a kind that is unknown
PoolReply reply_from_line(std::string_view line);

}  // namespace stash
