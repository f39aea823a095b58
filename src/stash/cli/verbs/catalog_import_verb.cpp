#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/output.h"
#include "stash/cli/verbs/catalog_verbs.h"
#include "stash/core/dates.h"
#include "stash/core/error.h"
#include "stash/core/units.h"
#include "stash/report/printable.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

// .../aws/vms.csv, as SkyPilot keeps them, names the cloud.
std::string cloud_of_folder(const fs::path& file) {
  std::string folder = cloud_name(fs::absolute(file).parent_path().filename().string());
  for (const Instance& instance : instance_table()) {
    if (instance.cloud == folder) return folder;
  }
  return "";
}

class CatalogImportVerb final : public Verb {
 public:
  std::string name() const override { return "import"; }
  std::string description() const override { return "Import machines and prices from a SkyPilot catalogue"; }

  void add_flags(CLI::App& app) override {
    app.add_option("--skypilot", file_, "vms.csv of one cloud, versions 7 and 8")->required()->type_name("FILE");
    app.add_option("--date", date_, "Date of the prices; default: when the file was last changed")
        ->type_name("YYYY-MM-DD");
    app.add_option(
           "--region", region_,
           "Take the prices of this region; default: for each instance, the cheapest region in the US, else anywhere")
        ->type_name("NAME");
    app.add_option("--cloud", cloud_,
                   "Cloud of the instances; default: from the name of the folder or of the instances")
        ->type_name("NAME");
    app.footer(
        "Example: stash catalog import --skypilot ~/.sky/catalogs/v8/aws/vms.csv\n"
        "It replaces the previous import of the same cloud. Rows with a missing, zero or negative figure are named\n"
        "and left out.\n");
  }

  int run() override {
    SkypilotOptions options;
    options.source = fs::path(file_).filename().string();
    options.date = date_.empty() ? date_of_file(file_) : parse_date(date_, "--date");
    options.cloud = cloud_.empty() ? cloud_of_folder(file_) : cloud_name(cloud_);
    options.region = region_;
    std::error_code ignored;
    if (!fs::is_regular_file(file_, ignored)) {
      throw Error(fmt::format("cannot read '{}': it is not a file; name SkyPilot's vms.csv", file_));
    }
    std::ifstream file(file_, std::ios::binary);
    if (!file) throw Error(fmt::format("cannot open '{}'; may it be read?", file_));
    const SkypilotImport found = import_skypilot(file, options, instance_table());
    tell_warnings(found.catalogue.warnings);
    const fs::path written =
        write_user_instances(user_catalogue_folder(), catalogue_file_name(found.cloud), found.catalogue.instances);
    fmt::print(
        "{} instances of {}, prices of {} in {}, from {} rows ({} without a GPU, {} with other accelerators)\n"
        "written to {}\n",
        found.catalogue.instances.size(), printable(found.cloud), options.date,
        region_.empty() ? "the cheapest US region of each" : printable(region_), format_count(found.rows),
        format_count(found.cpu_rows), format_count(found.other_rows), written.string());
    return 0;
  }

 private:
  std::string file_, date_, region_, cloud_;
};

}  // namespace

std::unique_ptr<Verb> make_catalog_import_verb() { return std::make_unique<CatalogImportVerb>(); }

}  // namespace stash
