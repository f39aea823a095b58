#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "stash/battery/this_machine.h"
#include "stash/catalog/gpu.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/usd_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/catalog_verbs.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/core/cache_folder.h"
#include "stash/core/dates.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/report/catalog.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

class CatalogAddVerb final : public Verb {
 public:
  explicit CatalogAddVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "add"; }
  std::string description() const override { return "Add this machine, measured in a few seconds"; }

  void add_flags(CLI::App& app) override {
    app.add_flag("--this-machine")->group("");  // once required, and still accepted: there is nothing else to add
    app.add_option("--name", machine_.name, "Name of the machine; default: the host name")->type_name("NAME");
    app.add_option("--gpu", machine_.gpu, "GPU, as named in catalog/gpus.csv; default: what the driver reports")
        ->type_name("NAME");
    app.add_option("--gpus", machine_.gpus, "Number of GPUs; default: what the driver reports")->type_name("N");
    price_.add_to(app, "Price of the machine");
    app.add_option("--profile", file_, "Profile made on this machine: gives its links and input rates")
        ->type_name("FILE");
    app.add_option("--storage", storage_, "Folder whose storage is timed; default: the cache folder")->type_name("DIR");
    app.footer("Example: stash catalog add --name lab --gpu V100 --gpus 4 --usd-per-hour 2.50\n");
  }

  int run() override {
    check_machine();
    if (!file_.empty()) machine_.profile = read_profile(file_);
    machine_.storage = storage_.empty() ? ready_cache_folder() : fs::path(storage_);
    const ThisMachine measured = [&] {
      StatusLine line;
      return rest_.describe_this_machine(machine_, today(), [&](std::string_view text) { line.show(text); });
    }();
    const fs::path written = write_user_instances(
        user_catalogue_folder(), "machine-" + catalogue_file_name(measured.instance.name), {&measured.instance, 1});
    print_catalogue(render_instance(measured.instance, Format::text), Format::text);
    for (const std::string& what : measured.unknown) fmt::print("unknown: {}\n", printable(what));
    fmt::print("written to {}\n", written.string());
    return 0;
  }

 private:
  void check_machine() {
    constexpr int kMostGpus = 1024;
    machine_.usd_per_h = price_.get();
    if (machine_.gpus && (*machine_.gpus < 1 || *machine_.gpus > kMostGpus)) {
      throw UsageError(fmt::format("--gpus {} is out of range; it takes 1 to {}", *machine_.gpus, kMostGpus));
    }
    if (!machine_.gpu.empty()) find_gpu(machine_.gpu);
    if (find_instance_or_null(instance_table(), machine_.name) != nullptr) {
      throw UsageError(fmt::format("--name {} is a machine of the catalogue; give yours another name", machine_.name));
    }
  }

  RestOfProgram rest_;
  std::string file_, storage_;
  ThisMachineOptions machine_;
  UsdFlag price_;
};

}  // namespace

std::unique_ptr<Verb> make_catalog_add_verb(const RestOfProgram& rest) {
  return std::make_unique<CatalogAddVerb>(rest);
}

}  // namespace stash
