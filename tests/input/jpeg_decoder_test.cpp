#include "stash/input/jpeg/jpeg_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "jpeg_writer.h"
#include "stash/input/sample_reader.h"
#include "support/message_of.h"

namespace stash {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes good_file(const JpegVariant& variant = {}) { return write_jpeg(test_picture(200, 150), 200, 150, variant); }

void decode_all(JpegDecoder& decoder, const Bytes& file) {
  const ImageSize size = decoder.read_header(file);
  decoder.decode({0, 0, size.width, size.height}, 64);
}

std::string reason_for(const Bytes& file) {
  JpegDecoder decoder;
  return message_of<BrokenSample>([&] { decode_all(decoder, file); });
}

// The place of the frame header's height and width.
std::size_t find_frame(const Bytes& file) {
  for (std::size_t i = 0; i + 9 < file.size(); ++i) {
    if (file[i] == 0xff && (file[i + 1] == 0xc0 || file[i + 1] == 0xc2)) return i + 5;
  }
  return 0;
}

TEST(JpegDecoder, TellsTheSize) {
  JpegDecoder decoder;
  const Bytes file = good_file();
  EXPECT_EQ(decoder.read_header(file).width, 200);
  EXPECT_EQ(decoder.read_header(file).height, 150);
}

TEST(JpegDecoder, RefusesWhatIsNoJpeg) {
  EXPECT_NE(reason_for(Bytes(1000, 'x')).find("is no JPEG file"), std::string::npos);
  EXPECT_NE(reason_for({0xff, 0xd8, 0xff}).find("is no JPEG file"), std::string::npos);
}

TEST(JpegDecoder, RefusesATruncatedFile) {
  for (const bool progressive : {false, true}) {
    Bytes file = good_file({.progressive = progressive});
    file.resize(file.size() / 2);
    EXPECT_NE(reason_for(file).find("is no JPEG file"), std::string::npos);
  }
}

TEST(JpegDecoder, DoesNotNeedWhatLiesBelowTheCrop) {
  Bytes file = good_file();
  file.resize(file.size() / 2);
  JpegDecoder decoder;
  decoder.read_header(file);
  EXPECT_NO_THROW(decoder.decode({0, 0, 200, 30}, 64));
}

TEST(JpegDecoder, RefusesHugeDimensionsBeforeItAllocates) {
  Bytes file = good_file();
  const std::size_t at = find_frame(file);
  ASSERT_GT(at, 0U);
  for (std::size_t i = at; i < at + 4; ++i) file[i] = 0xf0;
  EXPECT_NE(reason_for(file).find("61680 x 61680 pixels"), std::string::npos);
}

TEST(JpegDecoder, RefusesAFileWithTooManyScans) {
  // The last scan of a progressive file can be repeated for ever without being wrong.
  Bytes file = good_file({.progressive = true});
  const Bytes marker{0xff, 0xda};
  const auto last = std::find_end(file.begin(), file.end(), marker.begin(), marker.end());
  const Bytes scan(last, file.end() - 2);
  file.resize(file.size() - 2);
  for (int i = 0; i < 200; ++i) file.insert(file.end(), scan.begin(), scan.end());
  file.insert(file.end(), {0xff, 0xd9});
  EXPECT_NE(reason_for(file), "");
}

TEST(JpegDecoder, AcceptsDamageThatOnlyGivesAWarning) {
  Bytes file = good_file();
  // Extraneous bytes before a marker.
  const Bytes marker{0xff, 0xda};
  const auto scan = std::search(file.begin(), file.end(), marker.begin(), marker.end());
  file.insert(scan, {0x00, 0x11, 0x22});
  JpegDecoder decoder;
  EXPECT_NO_THROW(decode_all(decoder, file));
}

TEST(JpegDecoder, IsUsableAfterABrokenFile) {
  JpegDecoder decoder;
  Bytes broken = good_file();
  broken.resize(broken.size() / 3);
  EXPECT_THROW(decode_all(decoder, broken), BrokenSample);
  EXPECT_THROW(decode_all(decoder, Bytes(100, 0)), BrokenSample);
  EXPECT_NO_THROW(decode_all(decoder, good_file()));
}

}  // namespace
}  // namespace stash
