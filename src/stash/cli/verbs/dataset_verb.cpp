#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "stash/cli/exit_codes.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/input/dataset/check_dataset.h"
#include "stash/input/dataset/make_dataset.h"

namespace stash {

namespace {

// Runs `work` with a progress line that is gone when it returns, so that the result has a line to itself.
template <class Work>
auto with_progress(std::string_view what, Work work) {
  CountProgress line(what);
  return work([&line](std::int64_t done, std::int64_t total) { line.show(done, total); });
}

void parse_size(const std::string& text, ImageDatasetOptions& options) {
  int used = 0;
  const bool parsed = std::sscanf(text.c_str(), "%5dx%5d%n", &options.width, &options.height, &used) == 2;
  if (!parsed || static_cast<std::size_t>(used) != text.size()) {
    throw UsageError(fmt::format("--size '{}' is not a size; write it like 500x375", text));
  }
}

void print_size(const std::string& path, std::string_view what, const DatasetSize& size) {
  fmt::print("{}: {} {}, {} each, {} in all\n", path, format_count(size.samples), what,
             format_bytes(static_cast<double>(size.bytes) / static_cast<double>(size.samples)),
             format_bytes(static_cast<double>(size.bytes)));
}

class DatasetVerb final : public Verb {
 public:
  std::string name() const override { return "dataset"; }
  std::string description() const override { return "Make a data set of images or tokens, or check one"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    make_ = app.add_subcommand("make", "Write a data set, the same bytes for the same flags");
    make_->add_option("path", path_, "Folder to write images to, new or empty; with --tokens, the file")
        ->required()
        ->type_name("PATH");
    auto* const images = make_->add_option("--images", images_.images, "Number of images")->type_name("N");
    auto* const tokens =
        make_->add_option("--tokens", tokens_, "Write a file of this many token ids instead")->type_name("N");
    images->excludes(tokens);
    make_->add_option("--size", size_, "Width and height in pixels; 500x375 gives ImageNet's mean file size")
        ->type_name("WxH")
        ->capture_default_str()
        ->excludes(tokens);
    make_->add_option("--classes", images_.classes, "Number of class folders")
        ->type_name("N")
        ->capture_default_str()
        ->excludes(tokens);
    make_->add_option("--vocabulary", vocabulary_, "Size of the vocabulary: token ids are below it")
        ->type_name("N")
        ->capture_default_str()
        ->excludes(images);
    make_->add_option("--seed", images_.seed, "Random seed of the content")->type_name("N")->capture_default_str();
    check_ = app.add_subcommand("check", "Describe a data set and find broken files");
    check_->add_option("path", path_, "Folder of images, or token file")->required()->type_name("PATH");
  }

  int run() override {
    if (check_->parsed()) return check();
    if (tokens_ > 0) return make_tokens();
    return make_images();
  }

 private:
  int make_images() {
    if (images_.images == 0) throw UsageError("dataset make needs --images N or --tokens N");
    images_.classes = static_cast<int>(std::min<std::int64_t>(images_.classes, images_.images));
    parse_size(size_, images_);
    const DatasetSize size = with_progress("writing images", [this](const DatasetProgress& progress) {
      return make_image_dataset(path_, images_, progress);
    });
    print_size(path_, "images", size);
    return 0;
  }

  int make_tokens() {
    const DatasetSize size = with_progress("writing tokens", [this](const DatasetProgress& progress) {
      return make_token_file(path_, tokens_, vocabulary_, images_.seed, progress);
    });
    print_size(path_, "tokens", size);
    return 0;
  }

  int check() {
    const DatasetCheck found =
        with_progress("decoding", [this](const DatasetProgress& progress) { return check_dataset(path_, progress); });
    print_size(
        path_,
        found.kind == InputKind::images ? fmt::format("images in {} classes", found.classes.value_or(0)) : "tokens",
        found.size);
    for (const BrokenFile& file : found.broken) fmt::print("broken: {} {}\n", file.path, file.reason);
    if (found.broken_count == 0) return 0;
    fmt::print("{} of {} files are broken\n", format_count(found.broken_count), format_count(found.size.samples));
    return kExitFault;
  }

  CLI::App* make_ = nullptr;
  CLI::App* check_ = nullptr;
  std::string path_;
  std::string size_ = "500x375";
  ImageDatasetOptions images_;
  std::int64_t tokens_ = 0;
  std::int64_t vocabulary_ = 50'257;  // GPT-2's
};

}  // namespace

std::unique_ptr<Verb> make_dataset_verb() { return std::make_unique<DatasetVerb>(); }

}  // namespace stash
