#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/verbs/verb.h"
#include "stash/models/listing.h"
#include "stash/models/models.h"

namespace stash {
namespace {

class ModelsVerb final : public Verb {
 public:
  std::string name() const override { return "models"; }
  std::string description() const override { return "List the built-in models, or the layers of one"; }

  void add_flags(CLI::App& app) override {
    app.add_option("model", model_, "Show the layers of this model; default: list all models")->type_name("MODEL");
    format_.add_to(app);
    app.add_option("--image-size", options_.image_size,
                   "Image width and height in pixels (image models); default: the model's own")
        ->type_name("N");
    app.add_option("--seq-len", options_.seq_len, "Tokens per sequence (language models); 0 = the model's own")
        ->type_name("N")
        ->capture_default_str();
  }

  int run() override {
    const Format format = format_.get();
    std::cout << (model_.empty() ? format_models(summarize_models(), format)
                                 : format_layers(make_model(model_, options_), format));
    return 0;
  }

 private:
  std::string model_;
  FormatFlag format_ = list_format();
  ModelOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_models_verb() { return std::make_unique<ModelsVerb>(); }

}  // namespace stash
