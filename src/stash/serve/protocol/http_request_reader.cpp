#include "stash/serve/protocol/http_request_reader.h"

#include <algorithm>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <utility>

namespace stash {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kMostHeadBytes = 16 * 1024;
constexpr std::size_t kMostKeptBytes = 1 << 20;  // of a body's memory, for the next one

// Memory that grows and is never cleared: bodies are large, and every byte of them is written once.
class BodyBytes {
 public:
  explicit BodyBytes(BodyMemory& memory) : memory_(memory) {}
  ~BodyBytes() { memory_.give_back(block_); }
  BodyBytes(const BodyBytes&) = delete;
  BodyBytes& operator=(const BodyBytes&) = delete;

  void append(std::string_view part) {
    if (part.empty()) return;
    if (size_ + part.size() > block_.bytes) reserve(std::max(size_ + part.size(), 2 * block_.bytes));
    std::memcpy(block_.at + size_, part.data(), part.size());
    size_ += part.size();
  }
  void reserve(std::size_t capacity) {
    if (capacity <= block_.bytes) return;
    const BodyMemory::Block larger = memory_.take(capacity);
    if (size_ > 0) std::memcpy(larger.at, block_.at, size_);
    memory_.give_back(std::exchange(block_, larger));
  }
  void clear() {
    size_ = 0;
    if (block_.bytes > kMostKeptBytes) memory_.give_back(std::exchange(block_, {}));
  }
  std::span<char> rest(std::size_t whole) { return {block_.at + size_, whole - size_}; }
  void grow(std::size_t count) { size_ += count; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return block_.bytes; }
  std::string_view view() const { return {block_.at, size_}; }

 private:
  BodyMemory& memory_;
  BodyMemory::Block block_;
  std::size_t size_ = 0;
};

// Beast's parser: the head into a HttpHead, chunks into the body. A body of known length goes past it.
class RequestParser final : public http::basic_parser<true> {
 public:
  RequestParser(std::size_t most_body_bytes, HttpHead& request_head, BodyBytes& body)
      : head_(request_head), body_(body), most_body_bytes_(most_body_bytes) {
    header_limit(static_cast<std::uint32_t>(kMostHeadBytes));
    body_limit(most_body_bytes);
  }
  int version() const { return version_; }

 private:
  void on_request_impl(http::verb, beast::string_view method, beast::string_view target, int version,
                       beast::error_code&) override {
    head_.method.assign(method.data(), method.size());
    head_.target.assign(target.data(), target.size());
    version_ = version;
  }
  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_field_impl(http::field field, beast::string_view name, beast::string_view value,
                     beast::error_code&) override {
    if (field == http::field::expect) head_.expects_continue = beast::iequals(value, "100-continue");
    if (field == http::field::content_encoding) head_.is_encoded = !beast::iequals(value, "identity");
    if (field == http::field::origin) head_.is_from_page = true;
    if (field != http::field::unknown || !beast::iequals(name, "inference-header-content-length")) return;
    head_.json_bytes = std::string(value.data(), value.size());
  }
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view part, beast::error_code& error) override { return keep(part, error); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view part, beast::error_code& error) override {
    return keep(part, error);
  }
  void on_finish_impl(beast::error_code&) override {}

  std::size_t keep(beast::string_view part, beast::error_code& error) {
    if (part.size() > most_body_bytes_ - body_.size()) {
      error = http::error::body_limit;
      return 0;
    }
    body_.append({part.data(), part.size()});
    return part.size();
  }

  HttpHead& head_;
  BodyBytes& body_;
  std::size_t most_body_bytes_;
  int version_ = 11;
};

int status_of(const beast::error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  return error == http::error::bad_version ? 505 : 400;
}

}  // namespace

struct HttpRequestReader::State {
  explicit State(BodyMemory& memory) : body(memory) {}
  std::size_t most_body_bytes = 0;
  HttpHead head;
  BodyBytes body;
  std::string kept;  // of a head that is not whole
  std::optional<RequestParser> parser;
  std::size_t content_bytes = 0;  // of a body that goes past the parser
  bool is_direct = false;         // it does
  bool has_begun = false;
  int status = 0;
  std::string fault;

  void restart() {
    head = {};
    body.clear();
    kept.clear();
    content_bytes = 0;
    is_direct = has_begun = false;
    parser.emplace(most_body_bytes, head, body);
  }

  Outcome fail(const beast::error_code& error) {
    status = status_of(error);
    fault = error.message();
    return Outcome::fault;
  }

  Outcome end_of_head() {
    const auto length = parser->content_length();
    if (parser->chunked()) {
      parser->eager(true);
      return Outcome::more;
    }
    content_bytes = length ? static_cast<std::size_t>(*length) : 0;
    is_direct = true;
    body.reserve(content_bytes);
    return body.size() == content_bytes ? Outcome::request : Outcome::more;
  }

  Outcome take_body(std::string_view& bytes) {
    const std::size_t count = std::min(bytes.size(), content_bytes - body.size());
    body.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    return body.size() == content_bytes ? Outcome::request : Outcome::more;
  }
};

HttpRequestReader::HttpRequestReader(std::size_t most_body_bytes, BodyMemory& memory)
    : state_(std::make_unique<State>(memory)) {
  state_->most_body_bytes = most_body_bytes;
  state_->restart();
}
HttpRequestReader::~HttpRequestReader() = default;

HttpRequestReader::Outcome HttpRequestReader::take(std::string_view& bytes) {
  State& state = *state_;
  if (bytes.empty()) return Outcome::more;
  state.has_begun = true;
  if (state.is_direct) return state.take_body(bytes);
  // What the parser could not use yet is put together with what came now.
  const std::size_t before = state.kept.size();
  const std::string_view all = before > 0 ? std::string_view(state.kept.append(bytes)) : bytes;
  std::size_t used = 0;
  Outcome outcome = Outcome::more;
  while (used < all.size() && outcome == Outcome::more) {
    const bool had_head = state.parser->is_header_done();
    beast::error_code error;
    const std::size_t taken = state.parser->put(boost::asio::buffer(all.data() + used, all.size() - used), error);
    used += taken;
    if (error && error != http::error::need_more) return state.fail(error);
    if (!had_head && state.parser->is_header_done()) {
      outcome = state.end_of_head();
      if (!state.is_direct) continue;
      if (outcome == Outcome::request) break;
      std::string_view rest = all.substr(used);
      outcome = state.take_body(rest);
      used = all.size() - rest.size();
      break;
    }
    if (state.parser->is_done()) outcome = Outcome::request;
    if (taken == 0) break;
  }
  if (outcome == Outcome::request || state.is_direct) {
    // A request does not end within what was kept: it would have been whole.
    bytes.remove_prefix(std::max(used, before) - before);
    state.kept.clear();
    return outcome;
  }
  state.kept = std::string(all.substr(used));
  bytes = {};
  if (state.kept.size() > kMostHeadBytes) {
    state.status = 431;
    state.fault = "a line is too long";
    return Outcome::fault;
  }
  return Outcome::more;
}

std::span<char> HttpRequestReader::room() {
  if (!state_->is_direct) return {};
  return state_->body.rest(state_->content_bytes);
}

HttpRequestReader::Outcome HttpRequestReader::filled(std::size_t bytes) {
  state_->body.grow(bytes);
  return state_->body.size() == state_->content_bytes ? Outcome::request : Outcome::more;
}

bool HttpRequestReader::has_begun() const { return state_->has_begun; }
bool HttpRequestReader::has_head() const { return state_->parser->is_header_done(); }
const HttpHead& HttpRequestReader::head() const { return state_->head; }
std::string_view HttpRequestReader::body() const { return state_->body.view(); }
bool HttpRequestReader::stays_open() const { return state_->parser->keep_alive(); }
std::size_t HttpRequestReader::held_bytes() const { return state_->body.capacity(); }
int HttpRequestReader::fault_status() const { return state_->status; }
const std::string& HttpRequestReader::fault() const { return state_->fault; }
void HttpRequestReader::next() { state_->restart(); }

}  // namespace stash
