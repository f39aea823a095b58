#include "stash/view/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stash {

namespace {

constexpr std::size_t kMostTargetBytes = 4096;  // two file names of 255 bytes, each byte as three
constexpr std::string_view kEnd = "\r\n\r\n";

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// Visible ASCII: what a target may be made of.
bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const std::size_t place = rest.find(mark);
  const std::string_view taken = rest.substr(0, place);
  rest.remove_prefix(place == std::string_view::npos ? rest.size() : place + mark.size());
  return taken;
}

// "a=1&b=2"; false where it cannot be decoded.
bool read_query(std::string_view text, Request& request) {
  while (!text.empty()) {
    std::string_view pair = take_until(text, "&");
    const std::optional<std::string> key = decode_percent(take_until(pair, "="));
    const std::optional<std::string> value = decode_percent(pair);
    if (!key || !value) return false;
    request.query[*key] = *value;
  }
  return true;
}

// 0, or the status of the answer that refuses it.
int read_first_line(std::string_view line, Request& request) {
  const std::string_view method = take_until(line, " "), target = take_until(line, " ");
  if (method.empty() || !is_visible(method) || target.empty() || !is_visible(target) || target.front() != '/')
    return 400;
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return line.starts_with("HTTP/") ? 505 : 400;
  if (method != "GET" && method != "HEAD") return 405;
  if (target.size() > kMostTargetBytes) return 414;
  request.head = method == "HEAD";
  std::string_view rest = target;
  const std::optional<std::string> path = decode_percent(take_until(rest, "?"));
  if (!path || !read_query(rest, request)) return 400;
  request.path = *path;
  return 0;
}

// Names that decide where a request ends or whom it is for must be understood; the others do not matter here.
bool read_header(std::string_view line, Request& request) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || !is_visible(line.substr(0, colon))) return false;
  const std::string name = ascii_lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "transfer-encoding") return false;
  if (name == "content-length") return value == "0";
  if (name != "host") return true;
  if (!request.host.empty() || value.empty() || !is_visible(value)) return false;
  request.host = ascii_lower(value);
  return true;
}

}  // namespace

std::string Request::value(const std::string& key) const {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

std::optional<std::size_t> request_end(std::string_view bytes) {
  const std::size_t place = bytes.find(kEnd);
  return place == std::string_view::npos ? std::nullopt : std::optional(place + kEnd.size());
}

ParsedRequest parse_request(std::string_view head) {
  Request request;
  if (head.ends_with(kEnd)) head.remove_suffix(kEnd.size());
  if (const int status = read_first_line(take_until(head, "\r\n"), request); status != 0) return {std::nullopt, status};
  while (!head.empty()) {
    if (!read_header(take_until(head, "\r\n"), request)) return {std::nullopt, 400};
  }
  if (request.host.empty()) return {std::nullopt, 400};
  return {request, 0};
}

std::string ascii_lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return small;
}

std::optional<std::string> decode_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i] == '+' ? ' ' : text[i];
    if (c == '%') {
      unsigned char byte = 0;
      const char* const digits = text.data() + i + 1;
      if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
      c = static_cast<char>(byte);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  return decoded;
}

std::string encode_percent(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    encoded += is_unreserved(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace stash
