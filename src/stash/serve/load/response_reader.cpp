#include "stash/serve/load/response_reader.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

namespace stash {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// Beast's parser with a sink that keeps the status and, where asked, the body.
class AnswerParser final : public http::basic_parser<false> {
 public:
  AnswerParser(std::size_t most_body_bytes, std::string* body) : body_(body) {
    eager(true);
    body_limit(most_body_bytes);
  }
  int status() const { return status_; }

 private:
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int, beast::error_code&) override {}
  void on_response_impl(int code, beast::string_view, int, beast::error_code&) override { status_ = code; }
  void on_field_impl(http::field, beast::string_view, beast::string_view, beast::error_code&) override {}
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view part, beast::error_code&) override { return keep(part); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view part, beast::error_code&) override {
    return keep(part);
  }
  void on_finish_impl(beast::error_code&) override {}

  std::size_t keep(beast::string_view part) {
    if (body_ != nullptr) body_->append(part.data(), part.size());
    return part.size();
  }

  std::string* body_;
  int status_ = 0;
};

}  // namespace

struct ResponseReader::State {
  std::size_t most_body_bytes = 0;
  bool keeps_body = false;
  std::string body;
  std::string kept;  // of a head that is not whole
  std::optional<AnswerParser> parser;
  std::string fault;

  void restart() {
    body.clear();
    parser.emplace(most_body_bytes, keeps_body ? &body : nullptr);
  }
  // How much the parser took.
  std::size_t put(std::string_view bytes, beast::error_code& error) {
    return parser->put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  }
};

ResponseReader::ResponseReader(std::size_t most_body_bytes, bool keeps_body) : state_(std::make_unique<State>()) {
  state_->most_body_bytes = most_body_bytes;
  state_->keeps_body = keeps_body;
  state_->restart();
}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;

ResponseReader::Outcome ResponseReader::take(std::string_view& bytes) {
  State& state = *state_;
  // A head that came in pieces is put together; bodies are not.
  const std::size_t before = state.kept.size();
  std::string_view all = bytes;
  if (before > 0) all = state.kept.append(bytes);
  while (!all.empty()) {
    beast::error_code error;
    const std::size_t taken = state.put(all, error);
    all.remove_prefix(taken);
    if (error == http::error::need_more) {
      if (taken == 0) break;
      continue;
    }
    if (error) {
      state.fault = error.message();
      return Outcome::fault;
    }
    if (!state.parser->is_done()) {
      if (taken == 0) break;
      continue;
    }
    bytes.remove_prefix(bytes.size() - all.size());
    state.kept.clear();
    return Outcome::answer;
  }
  state.kept = std::string(all);
  bytes = {};
  return Outcome::more;
}

ResponseReader::Outcome ResponseReader::end() {
  beast::error_code error;
  if (state_->parser->got_some()) state_->parser->put_eof(error);
  if (!error && state_->parser->is_done()) return Outcome::answer;
  state_->fault = "the connection ended before the answer did";
  return Outcome::fault;
}

int ResponseReader::status() const { return state_->parser->status(); }
bool ResponseReader::stays_open() const { return state_->parser->keep_alive(); }
const std::string& ResponseReader::body() const { return state_->body; }
std::string ResponseReader::fault() const { return state_->fault; }
void ResponseReader::next() { state_->restart(); }

}  // namespace stash
