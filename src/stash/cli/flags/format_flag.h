#pragma once

#include <optional>
#include <span>
#include <string>

#include "stash/core/format.h"

namespace CLI {
class App;
}

namespace stash {

// --format of a command: what its help lists is what it takes.
class FormatFlag {
 public:
  // The first of `formats`, which must outlive it, is the default.
  FormatFlag(std::span<const Format> formats, std::string help) : formats_(formats), help_(std::move(help)) {}

  void add_to(CLI::App& app);
  Format get() const;  // UsageError names the nearest
  void check() const { get(); }
  bool is_given() const { return text_.has_value(); }

 private:
  std::span<const Format> formats_;
  std::string help_;
  std::optional<std::string> text_;
};

FormatFlag page_format();  // text, json, csv or html
FormatFlag list_format();  // text, json or csv

}  // namespace stash
