#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "stash/serve/load/client_socket.h"
#include "stash/serve/load/response_reader.h"

namespace stash {

// One connection of a load: requests go out, all of them alike, answers come in, in the same order.
class LoadConnection {
 public:
  enum class State { connecting, open, broken };

  LoadConnection(const ServerAddress& address, std::string_view request);

  int fd() const { return socket_.fd(); }
  State state() const { return state_; }
  std::uint16_t port() const { return port_; }    // of this end
  std::uint32_t added() const { return added_; }  // requests, ever
  std::size_t in_flight() const { return numbers_.size(); }
  bool wants_to_send() const { return to_send_ > 0; }
  const std::deque<std::uint32_t>& numbers() const { return numbers_; }  // of the requests in flight, oldest first

  void finish_connecting();        // where the socket can be written
  void add(std::uint32_t number);  // a request, to be sent with the next transmit()
  void transmit();                 // as much as the socket takes
  // One read; `on_answer(number, status)` for every answer that is whole.
  template <class OnAnswer>
  void receive(std::span<char> buffer, const OnAnswer& on_answer) {
    std::string_view bytes = read_some(buffer);
    while (has_answer(bytes)) {
      const std::uint32_t number = numbers_.front();
      numbers_.pop_front();
      on_answer(number, reader_.status());
      if (!reader_.stays_open()) state_ = State::broken;
      reader_.next();
    }
  }

 private:
  std::string_view read_some(std::span<char> buffer);
  bool has_answer(std::string_view& bytes);

  ClientSocket socket_;
  State state_ = State::connecting;
  std::string_view request_;
  std::deque<std::uint32_t> numbers_;
  std::size_t to_send_ = 0;     // requests of which something is left to send
  std::size_t sent_bytes_ = 0;  // of the first of them
  ResponseReader reader_;
  std::uint16_t port_ = 0;
  std::uint32_t added_ = 0;
  bool ended_ = false;  // with an answer whose end is that of the connection
};

}  // namespace stash
