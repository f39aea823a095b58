#pragma once

#include <functional>

#include "stash/view/request.h"
#include "stash/view/response.h"

namespace stash {

struct ServerHooks {
  std::function<Response(const Request&)> answer;  // Errors become a page that says them
  std::function<bool()> changed;  // asked every second while somebody listens to events: whether to tell them
};

// Limits on what clients may hold; times in seconds.
struct ServerLimits {
  int connections = 64;
  double request_s = 10;   // for the head of a request to come
  double response_s = 60;  // for a client to take an answer
  double poll_s = 1;       // between looks at what changed
};

// HTTP/1.1 on the loopback interface, one request a connection, in the thread that calls it.
class Server {
 public:
  explicit Server(int port, ServerLimits limits = {});  // 0: a free one; Error where it is taken
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }

  // Until `stop_fd` can be read.
  void serve(const ServerHooks& hooks, int stop_fd);

 private:
  int fd_ = -1;
  int port_ = 0;
  ServerLimits limits_;
};

// Whether a request's Host names this server itself. Another name is a page from elsewhere that has made its own name
// point here.
bool is_own_host(std::string_view host, int port);

}  // namespace stash
