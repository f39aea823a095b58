#include "stash/view/response.h"

#include <fmt/format.h>

namespace stash {

namespace {

std::string_view reason(int status) {
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
    case 414:
      return "URI Too Long";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
  }
  return "Internal Server Error";
}

}  // namespace

Response text_response(int status, std::string_view text) {
  return {.status = status, .body = fmt::format("{}\n", text)};
}

std::string wire_bytes(const Response& response, bool head_only) {
  // `no-store`: a page is of a file that may change. Framing and reading by other sites are refused.
  std::string bytes = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Security-Policy: {}; base-uri 'none'; frame-ancestors 'none'\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
      "Cache-Control: no-store\r\nConnection: close\r\n",
      response.status, reason(response.status), response.type, response.policy);
  if (response.status == 405) bytes += "Allow: GET, HEAD\r\n";
  if (!response.is_stream) bytes += fmt::format("Content-Length: {}\r\n", response.body.size());
  bytes += "\r\n";
  return head_only ? bytes : bytes + response.body;
}

std::string change_event() { return "data: changed\n\n"; }

}  // namespace stash
