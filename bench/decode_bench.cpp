// CPU seconds that decoding and augmenting a list of crops takes. bench/decode.py compares it with others.
//
//   decode_bench LIST [--size N] [--dump FILE]
//
// LIST has one crop a line: x y width height flip path. The files are read beforehand. Prints the CPU seconds of
// one pass as "cpu_s <seconds>"; --dump writes the pixels (planes of red, green, blue as floats from 0 to 255)
// instead of timing.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "stash/core/error.h"
#include "stash/core/file.h"
#include "stash/input/image/image_resizer.h"
#include "stash/input/jpeg/jpeg_decoder.h"

namespace {

struct Crop {
  stash::CropBox box;
  bool flip = false;
  std::string file;
};

std::vector<Crop> read_list(const std::string& path) {
  constexpr std::size_t kMaxFileBytes = 256 << 20;
  std::ifstream list(path);
  std::vector<Crop> crops;
  Crop crop;
  std::string name;
  while (list >> crop.box.x >> crop.box.y >> crop.box.width >> crop.box.height >> crop.flip &&
         std::getline(list >> std::ws, name)) {
    crop.file = stash::read_file(name, kMaxFileBytes);
    crops.push_back(crop);
  }
  if (crops.empty()) throw stash::Error(fmt::format("no crops in '{}'", path));
  return crops;
}

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Bench {
 public:
  explicit Bench(int size) : size_(size), resizer_(size), pixels_(static_cast<std::size_t>(3 * size * size)) {}

  void make(const Crop& crop, const stash::PixelFormat& format) {
    decoder_.read_header({reinterpret_cast<const std::uint8_t*>(crop.file.data()), crop.file.size()});
    resizer_.resize(decoder_.decode(crop.box, size_), crop.box, crop.flip, format, pixels_.data());
  }
  const std::vector<float>& pixels() const { return pixels_; }

 private:
  int size_;
  stash::JpegDecoder decoder_;
  stash::ImageResizer resizer_;
  std::vector<float> pixels_;
};

void dump(Bench& bench, const std::vector<Crop>& crops, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const Crop& crop : crops) {
    bench.make(crop, {});
    file.write(reinterpret_cast<const char*>(bench.pixels().data()),
               static_cast<std::streamsize>(bench.pixels().size() * sizeof(float)));
  }
  if (!file.flush()) throw stash::Error(fmt::format("cannot write '{}'", path));
}

double time_pass(Bench& bench, const std::vector<Crop>& crops) {
  const stash::PixelFormat format = stash::imagenet_normalisation();
  bench.make(crops.front(), format);
  const double start_s = cpu_s();
  for (const Crop& crop : crops) bench.make(crop, format);
  return cpu_s() - start_s;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CPU time of decoding and augmenting"};
  std::string list, dump_path;
  int size = 224;
  app.add_option("list", list)->required();
  app.add_option("--size", size);
  app.add_option("--dump", dump_path);
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<Crop> crops = read_list(list);
    Bench bench(size);
    if (!dump_path.empty()) {
      dump(bench, crops, dump_path);
    } else {
      fmt::print("cpu_s {}\n", time_pass(bench, crops));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "decode_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
