#include "stash/models/gpt_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "stash/core/error.h"
#include "stash/core/words.h"

namespace stash {
namespace {

constexpr std::string_view kPrefix = "gpt:";
constexpr int kGpt2Vocabulary = 50257;

struct Key {
  std::string_view name;
  int GptSize::* member;
  int least;
  int most;  // above what has been trained; keeps every count in range and the graph small
};

constexpr std::array kKeys{
    Key{"layers", &GptSize::layers, 1, 512},
    Key{"hidden", &GptSize::hidden, 1, 65536},
    Key{"heads", &GptSize::heads, 1, 1024},
    Key{"seq", &GptSize::max_seq_len, 2, 131072},
    Key{"vocab", &GptSize::vocabulary, 2, 16'777'216},
};

constexpr std::string_view kAttention = "attention";

[[noreturn]] void throw_unknown_key(std::string_view key) {
  std::array<std::string_view, kKeys.size() + 1> names;
  std::ranges::transform(kKeys, names.begin(), &Key::name);
  names.back() = kAttention;
  throw_unknown("key of gpt:", key, names);
}

int parse_value(const Key& key, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && value >= key.least && value <= key.most) return value;
  throw UsageError(fmt::format("gpt: {}={} is not a whole number from {} to {}", key.name, text, key.least, key.most));
}

bool parse_fused(std::string_view text) {
  constexpr std::array<std::string_view, 2> kKinds{"unfused", "fused"};
  const auto found = std::ranges::find(kKinds, text);
  if (found == kKinds.end()) throw_unknown("attention of gpt:", text, kKinds);
  return *found == "fused";
}

void set(GptSize& size, std::string_view setting) {
  const std::size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  if (name == kAttention) {
    size.fused_attention = parse_fused(value);
    return;
  }
  const auto key = std::ranges::find(kKeys, name, &Key::name);
  if (key == kKeys.end()) throw_unknown_key(name);
  if (size.*(key->member) != 0) throw UsageError(fmt::format("gpt: {} is given twice", name));
  size.*(key->member) = parse_value(*key, value);
}

void check(const GptSize& size) {
  for (const Key& key : kKeys) {
    if (size.*(key.member) != 0) continue;
    throw UsageError(
        fmt::format("gpt: {} is missing; give {}layers=24,hidden=2048,heads=16,seq=1024", key.name, kPrefix));
  }
  if (size.hidden % size.heads != 0) {
    throw UsageError(fmt::format("gpt: hidden={} is not a multiple of heads={}", size.hidden, size.heads));
  }
}

}  // namespace

bool is_gpt_spec(std::string_view name) { return name.starts_with(kPrefix); }

GptSize parse_gpt_spec(std::string_view spec) {
  GptSize size{.name = spec, .fused_attention = false};
  for (const std::string& item : split_list_strictly(spec.substr(kPrefix.size()))) set(size, item);
  if (size.vocabulary == 0) size.vocabulary = kGpt2Vocabulary;
  check(size);
  return size;
}

}  // namespace stash
