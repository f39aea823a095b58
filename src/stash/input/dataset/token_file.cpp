#include "stash/input/dataset/token_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <system_error>

#include "stash/core/error.h"

namespace stash {

static_assert(std::endian::native == std::endian::little, "token files are little-endian and read without swapping");

namespace {

namespace fs = std::filesystem;

void check_is_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw Error(fmt::format("the token file '{}' does not exist; `stash dataset make FILE --tokens N` writes one",
                            path.string()));
  }
  if (!fs::is_regular_file(status)) {
    throw Error(fmt::format("'{}' is not a file; language models read one file of token ids", path.string()));
  }
}

}  // namespace

TokenFile::TokenFile(const fs::path& path, int seq_len) : path_(path.string()), seq_len_(seq_len) {
  if (seq_len < 1) throw UsageError(fmt::format("a token file needs a sequence length of at least 1, not {}", seq_len));
  check_is_file(path);
  read_header();
  if (tokens_ < seq_len_ + 1) {
    throw Error(fmt::format("the token file '{}' has {} tokens; a sequence length of {} needs at least {}", path_,
                            tokens_, seq_len, seq_len_ + 1));
  }
}

void TokenFile::read_header() {
  std::error_code error;
  const auto file_bytes = static_cast<std::int64_t>(fs::file_size(path_, error));
  std::ifstream file(path_, std::ios::binary);
  if (error || !file) throw Error(fmt::format("cannot read the token file '{}'; check its permissions", path_));
  TokenFileHeader header;
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  const bool with_header = file && std::memcmp(header.magic, TokenFileHeader{}.magic, sizeof(header.magic)) == 0;
  if (!with_header) {
    tokens_ = file_bytes / token_bytes_;
    return;
  }
  header_bytes_ = sizeof(header);
  token_bytes_ = header.token_bytes;
  if (header.version != 1 || (token_bytes_ != 2 && token_bytes_ != 4)) {
    throw Error(fmt::format("the token file '{}' has version {} and {} bytes an id; version 1 with 2 or 4 is read",
                            path_, header.version, header.token_bytes));
  }
  if (header.tokens > static_cast<std::uint64_t>((file_bytes - header_bytes_) / token_bytes_)) {
    throw Error(fmt::format("the token file '{}' is cut off: its header says {} tokens, its {} bytes hold fewer", path_,
                            header.tokens, file_bytes));
  }
  tokens_ = static_cast<std::int64_t>(header.tokens);
  if (header.vocabulary > 0) vocabulary_ = static_cast<std::int64_t>(header.vocabulary);
}

void TokenFile::locate(std::int64_t index, SampleLocation& location) const {
  location.path = path_;
  location.offset_bytes = header_bytes_ + index * seq_len_ * token_bytes_;
  location.bytes = (seq_len_ + 1) * token_bytes_;
  location.label = 0;
}

}  // namespace stash
