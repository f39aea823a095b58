#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stash {

// A request without a body, decoded.
struct Request {
  bool head = false;  // only the head of the answer is wanted
  std::string path;   // "/profile"
  std::map<std::string, std::string> query;
  std::string host;  // as the browser names this server: "127.0.0.1:8080"

  std::string value(const std::string& key) const;  // empty where it is absent
};

// Either a request or why there is none.
struct ParsedRequest {
  std::optional<Request> request;
  int status = 0;  // of the answer where there is no request: 400, 405, 414, 505
};

inline constexpr std::size_t kMostRequestBytes = 8192;  // browsers send about 1 kB

// Where the head of a request ends, after its empty line; nullopt: not yet.
std::optional<std::size_t> request_end(std::string_view bytes);

// The head of a request, up to its empty line, from anyone.
ParsedRequest parse_request(std::string_view head);

std::string ascii_lower(std::string_view text);

// "a%20b+c" is "a b c"; nullopt where a % has no two digits or the text holds a NUL.
std::optional<std::string> decode_percent(std::string_view text);
std::string encode_percent(std::string_view text);

}  // namespace stash
