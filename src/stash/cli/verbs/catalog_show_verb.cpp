#include <CLI/CLI.hpp>

#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/catalog_verbs.h"
#include "stash/report/catalog.h"

namespace stash {
namespace {

class CatalogShowVerb final : public Verb {
 public:
  std::string name() const override { return "show"; }
  std::string description() const override { return "Show every figure of an instance, with its source"; }

  void add_flags(CLI::App& app) override {
    app.add_option("instance", instance_, "Name of the instance, like p3.8xlarge")->required()->type_name("NAME");
    format_.add_to(app);
  }

  int run() override {
    const Format format = format_.get();
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    print_catalogue(render_instance(find_instance(catalogue.instances, instance_), format), format);
    return 0;
  }

 private:
  std::string instance_;
  FormatFlag format_ = catalogue_format();
};

}  // namespace

std::unique_ptr<Verb> make_catalog_show_verb() { return std::make_unique<CatalogShowVerb>(); }

}  // namespace stash
