#pragma once

#include <functional>
#include <vector>

#include "stash/serve/batching/scheduler.h"
#include "stash/serve/protocol/http_answer.h"
#include "stash/serve/server/connection_table.h"
#include "stash/serve/server/served_request.h"

namespace stash {

// What clients ask, read from their connections and handed to the scheduler; and the answers, sent to them.
class RequestDesk {
 public:
  RequestDesk(const ServeLimits& limits, Scheduler& scheduler, ConnectionTable& table);

  // Reads and answers as long as it can go on without waiting.
  void serve(ServeConnection& connection);
  // Of the scheduler: a request has ended.
  void finish(PendingRequest& request, const Refusal& refusal);
  // After a round of events: clients that sent more, loads that ended.
  void settle();
  // The client has gone.
  void hang_up(ServeConnection& connection);
  // The answer is the last one: what follows cannot be understood, or is not wanted.
  void refuse(ServeConnection& connection, const Refusal& refusal);
  // Requests that came whole are still answered; connections end with their answers.
  void stop() { stopping_ = true; }

  std::function<void(const ServedRequest&)> on_answered;

 private:
  void say(ServeConnection& connection, const HttpAnswer& answer);
  void send(ServeConnection& connection, bool stays_open);
  bool stays_open(const ServeConnection& connection) const;
  void answer(ServeConnection& connection);
  void say_refusal(ServeConnection& connection, const Refusal& refusal);
  void infer(ServeConnection& connection, ModelQueue& queue);
  HttpAnswer load_answer(const ServeConnection& one) const;

  const ServeLimits& limits_;
  Scheduler& scheduler_;
  ConnectionTable& table_;
  std::vector<char> buffer_;
  std::vector<ServeConnection*> answered_;  // to be looked at again: they may have sent more
  std::vector<ServeConnection*> loaders_;   // that wait for a load
  bool stopping_ = false;
};

}  // namespace stash
