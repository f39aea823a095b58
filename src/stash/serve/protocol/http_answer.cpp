#include "stash/serve/protocol/http_answer.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "stash/core/profile_json.h"

namespace stash {
namespace {

std::string_view status_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
  }
  return "Internal Server Error";
}

std::string_view connection_line(bool stays_open) { return stays_open ? "" : "Connection: close\r\n"; }

}  // namespace

HttpAnswer error_answer(const Refusal& refusal) {
  return {.status = refusal.status, .body = dump_json({{"error", refusal.why}})};
}

void append_answer(std::string& out, const HttpAnswer& answer) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}",
                 answer.status, status_phrase(answer.status), answer.type, answer.body.size(),
                 connection_line(answer.stays_open), answer.is_head_only ? "" : answer.body);
}

void append_tensor_head(std::string& out, std::size_t json_bytes, std::size_t bytes, bool stays_open) {
  fmt::format_to(std::back_inserter(out),
                 "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                 "Inference-Header-Content-Length: {}\r\nContent-Length: {}\r\n{}\r\n",
                 json_bytes, bytes, connection_line(stays_open));
}

}  // namespace stash
