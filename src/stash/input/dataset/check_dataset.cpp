#include "stash/input/dataset/check_dataset.h"

#include <atomic>
#include <system_error>

#include "stash/core/clock.h"
#include "stash/input/dataset/dataset.h"
#include "stash/input/dataset/token_file.h"
#include "stash/input/jpeg/jpeg_decoder.h"
#include "stash/input/sample_reader.h"

namespace stash {

namespace {

DatasetCheck check_tokens(const std::filesystem::path& path) {
  const TokenFile file(path, 1);
  DatasetCheck found;
  found.kind = InputKind::tokens;
  found.size = {file.size() + 1, static_cast<std::int64_t>(std::filesystem::file_size(path))};
  found.classes = file.classes();
  return found;
}

void decode_whole(JpegDecoder& decoder, std::span<const std::uint8_t> bytes) {
  const ImageSize size = decoder.read_header(bytes);
  decoder.decode({0, 0, size.width, size.height}, std::max(size.width, size.height));
}

DatasetCheck check_images(const std::filesystem::path& path, const DatasetProgress& progress) {
  const auto dataset = open_dataset(path, InputKind::images);
  const std::atomic<bool> never{false};
  SampleReader reader(nullptr, never);
  JpegDecoder decoder;
  SampleLocation location;
  DatasetCheck found;
  found.size.samples = dataset->size();
  found.classes = dataset->classes();
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    dataset->locate(i, location);
    ReadCount count;
    try {
      decode_whole(decoder, reader.read(location, false, now_ns(), count));
    } catch (const BrokenSample& broken) {
      ++found.broken_count;
      if (found.broken.size() < kNamedBroken) found.broken.push_back({location.path, broken.what()});
    }
    found.size.bytes += count.bytes;
    if (progress) progress(i + 1, dataset->size());
  }
  return found;
}

}  // namespace

DatasetCheck check_dataset(const std::filesystem::path& path, const DatasetProgress& progress) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return check_tokens(path);
  return check_images(path, progress);
}

}  // namespace stash
