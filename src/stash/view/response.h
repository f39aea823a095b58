#pragma once

#include <string>
#include <string_view>

namespace stash {

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string policy = "default-src 'none'";  // what the page may load or ask for
  bool is_stream = false;                     // stays open, and gets events
};

// A page of text: what is wrong, for people.
Response text_response(int status, std::string_view text);

// What goes over the wire: the head, and the body unless only the head was asked for.
std::string wire_bytes(const Response& response, bool head_only);

// One server-sent event, which has no content: ask again.
std::string change_event();

}  // namespace stash
