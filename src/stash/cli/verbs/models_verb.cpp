#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "stash/cli/verb.h"
#include "stash/models/listing.h"
#include "stash/models/models.h"

namespace stash {
namespace {

class ModelsVerb final : public Verb {
 public:
  std::string name() const override { return "models"; }
  std::string description() const override { return "List the built-in models, or the layers of one"; }

  void add_flags(CLI::App& app) override {
    app.add_option("model", model_, "Show the layers of this model");
    app.add_option("--format", format_, "text, json or csv")->capture_default_str();
    app.add_option("--image-size", options_.image_size, "Pixels, for the layers of an image model")
        ->capture_default_str();
    app.add_option("--seq-len", options_.seq_len, "Tokens, for the layers of a language model (0: the model's own)")
        ->capture_default_str();
  }

  int run() override {
    const ListFormat format = parse_list_format(format_);
    std::cout << (model_.empty() ? format_models(summarize_models(), format)
                                 : format_layers(make_model(model_, options_), format));
    return 0;
  }

 private:
  std::string model_;
  std::string format_ = "text";
  ModelOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_models_verb() { return std::make_unique<ModelsVerb>(); }

}  // namespace stash
