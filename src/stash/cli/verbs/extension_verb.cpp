#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stash/cli/flags/start_flags.h"
#include "stash/cli/own_files.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/launch/extension/extension.h"

namespace stash {
namespace {

class ExtensionVerb final : public Verb {
 public:
  std::string name() const override { return "extension"; }
  std::string description() const override { return "Build the library for your torch ahead of time"; }

  void add_flags(CLI::App& app) override {
    add_python(app, python_, "it is for");
    // For a package that brings an extension: cmake/install.cmake.
    CLI::Option* adopt = app.add_option("--adopt", library_, "Library built with this copy of Stash")->group("");
    app.add_option("--store", store_, "Folder of the copy's own extensions")->group("")->needs(adopt);
    app.footer(
        "It is built when it is first needed. To build it ahead of time:\n"
        "  stash extension --python venv/bin/python\n");
  }

  int run() override {
    if (!library_.empty()) {
      adopt_extension(library_, chosen_python(python_), root_folder(), store_);
      return 0;
    }
    StatusLine line;
    const ExtensionInfo info = ensure_extension(chosen_python(python_), root_folder(),
                                                [&](std::string_view text, bool passing) { line.tell(text, passing); });
    fmt::print("{}\n", info.folder.string());
    return 0;
  }

 private:
  std::string python_, library_, store_;
};

}  // namespace

std::unique_ptr<Verb> make_extension_verb() { return std::make_unique<ExtensionVerb>(); }

}  // namespace stash
