#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stash/input/dataset/dataset.h"

namespace stash {

// The header of a token file, 32 bytes, little-endian: the magic, version 1, bytes of an id (2 or 4), number
// of ids, size of the vocabulary. The ids follow. A file that does not begin with the magic is taken as bare
// 16-bit ids, as nanoGPT writes them.
struct TokenFileHeader {
  char magic[8] = {'S', 'T', 'A', 'S', 'H', 'T', 'O', 'K'};
  std::uint32_t version = 1;
  std::uint32_t token_bytes = 2;
  std::uint64_t tokens = 0;
  std::uint64_t vocabulary = 0;
};
static_assert(sizeof(TokenFileHeader) == 32);

// Sample i is the tokens from i * seq_len, seq_len + 1 of them, so that each has its successor.
class TokenFile final : public Dataset {
 public:
  TokenFile(const std::filesystem::path& path, int seq_len);

  InputKind kind() const override { return InputKind::tokens; }
  std::int64_t size() const override { return (tokens_ - 1) / seq_len_; }
  std::optional<std::int64_t> classes() const override { return vocabulary_; }
  void locate(std::int64_t index, SampleLocation& location) const override;

 private:
  void read_header();

  std::string path_;
  std::int64_t seq_len_;
  std::int64_t header_bytes_ = 0;
  std::int64_t token_bytes_ = 2;
  std::int64_t tokens_ = 0;
  std::optional<std::int64_t> vocabulary_;
};

}  // namespace stash
