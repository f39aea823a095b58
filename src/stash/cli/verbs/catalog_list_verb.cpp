#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/catalog_verbs.h"
#include "stash/core/error.h"
#include "stash/core/words.h"
#include "stash/report/catalog.h"

namespace stash {
namespace {

// `--gpu V100` means every variant of it: V100-32GB and V100-PCIe too.
bool has_gpu(const Instance& instance, const std::string& wanted) {
  const std::string gpu = lower_case(instance.gpu);
  return gpu == wanted || gpu.starts_with(wanted + "-");
}

class CatalogListVerb final : public Verb {
 public:
  std::string name() const override { return "list"; }
  std::string description() const override { return "List the instances with their GPUs, network and price"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--gpu", gpu_, "Only instances with this GPU, in all its variants")->type_name("NAME");
    app.add_option("--cloud", cloud_, "Only instances of aws, azure, google, own or an imported cloud")
        ->type_name("NAME");
    format_.add_to(app);
    app.footer("Example: stash catalog list --gpu A100 --cloud aws\n");
  }

  int run() override {
    const Format format = format_.get();
    Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    check_filters(catalogue);
    std::erase_if(catalogue.instances, [&](const Instance& instance) {
      return (!gpu_.empty() && !has_gpu(instance, lower_case(gpu_))) ||
             (!cloud_.empty() && lower_case(instance.cloud) != cloud_name(cloud_));
    });
    print_catalogue(render_instances(catalogue, format), format);
    return 0;
  }

 private:
  // In the order of the catalogue, which begins with the GPUs that are asked for most.
  void check_filters(const Catalogue& catalogue) const {
    std::vector<std::string_view> gpus, clouds;
    const auto note = [](std::vector<std::string_view>& seen, const std::string& name) {
      if (!name.empty() && std::ranges::find(seen, name) == seen.end()) seen.push_back(name);
    };
    for (const Instance& instance : catalogue.instances) {
      note(gpus, instance.gpu);
      note(clouds, instance.cloud);
    }
    const auto any = [&](const auto& matches) { return std::ranges::any_of(catalogue.instances, matches); };
    if (!gpu_.empty() && !any([&](const Instance& row) { return has_gpu(row, lower_case(gpu_)); })) {
      throw_unknown("--gpu", upper_case(gpu_), gpus);
    }
    if (!cloud_.empty() && !any([&](const Instance& row) { return lower_case(row.cloud) == cloud_name(cloud_); })) {
      throw_unknown("--cloud", cloud_, clouds);
    }
  }

  std::string gpu_, cloud_;
  FormatFlag format_ = catalogue_format();
};

}  // namespace

std::unique_ptr<Verb> make_catalog_list_verb() { return std::make_unique<CatalogListVerb>(); }

}  // namespace stash
