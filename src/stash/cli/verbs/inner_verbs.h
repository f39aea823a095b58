#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "stash/cli/verbs/verb.h"

namespace stash {

// The verbs of a verb, as in `stash catalog list`.
class InnerVerbs {
 public:
  void add(CLI::App& app, std::unique_ptr<Verb> verb) {
    CLI::App* const inner = app.add_subcommand(verb->name(), verb->description());
    verb->add_flags(*inner);
    verbs_.emplace_back(inner, std::move(verb));
  }

  // The one on the command line; null where there is none.
  Verb* chosen() const {
    for (const auto& [app, verb] : verbs_) {
      if (app->parsed()) return verb.get();
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<CLI::App*, std::unique_ptr<Verb>>> verbs_;
};

}  // namespace stash
