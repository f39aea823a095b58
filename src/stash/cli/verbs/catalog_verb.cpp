#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "stash/battery/this_machine.h"
#include "stash/catalog/instances.h"
#include "stash/catalog/skypilot.h"
#include "stash/catalog/user_catalogue.h"
#include "stash/cli/flags/format_flag.h"
#include "stash/cli/flags/usd_flag.h"
#include "stash/cli/output.h"
#include "stash/cli/progress.h"
#include "stash/cli/verbs/verb.h"
#include "stash/core/cache_folder.h"
#include "stash/core/dates.h"
#include "stash/core/error.h"
#include "stash/core/profile_json.h"
#include "stash/core/units.h"
#include "stash/core/words.h"
#include "stash/report/catalog.h"
#include "stash/report/printable.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

namespace fs = std::filesystem;

void print(const std::string& text, Format format) {
  const bool plain = format == Format::text && !options_for_stdout().unicode;
  fmt::print("{}", plain ? to_ascii(text) : text);
}

// A name that can be part of a file's.
std::string file_name(std::string_view name) {
  std::string result;
  for (const char c : lower_case(name)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    result += plain ? c : '_';
  }
  return result;
}

// .../aws/vms.csv, as SkyPilot keeps them, names the cloud.
std::string cloud_of_folder(const fs::path& file) {
  std::string folder = cloud_name(fs::absolute(file).parent_path().filename().string());
  for (const Instance& instance : instance_table()) {
    if (instance.cloud == folder) return folder;
  }
  return "";
}

// `--gpu V100` means every variant of it: V100-32GB and V100-PCIe too.
bool has_gpu(const Instance& instance, const std::string& wanted) {
  const std::string gpu = lower_case(instance.gpu);
  return gpu == wanted || gpu.starts_with(wanted + "-");
}

class CatalogVerb final : public Verb {
 public:
  std::string name() const override { return "catalog"; }
  std::string description() const override { return "List machines that can be rented, with prices; add your own"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  stash catalog list --gpu V100\n"
        "  stash catalog show p3.8xlarge\n"
        "  stash catalog import --skypilot vms.csv --date 2026-08-22\n"
        "  stash catalog add --this-machine --name lab --usd-per-hour 2.50\n"
        "What is imported or added is kept in $XDG_DATA_HOME/stash/catalog, else ~/.local/share/stash/catalog.\n");
    add_list(app);
    add_show(app);
    add_import(app);
    add_add(app);
  }

  int run() override {
    if (list_->parsed()) return list();
    if (show_->parsed()) return show();
    return import_->parsed() ? import() : add();
  }

 private:
  void add_list(CLI::App& app) {
    list_ = app.add_subcommand("list", "List the instances with their GPUs, network and price");
    list_->add_option("--gpu", gpu_, "Only instances with this GPU, in all its variants")->type_name("NAME");
    list_->add_option("--cloud", cloud_, "Only instances of aws, azure, google, own or an imported cloud")
        ->type_name("NAME");
    format_.add_to(*list_);
    list_->footer("Example: stash catalog list --gpu A100 --cloud aws\n");
  }

  void add_show(CLI::App& app) {
    show_ = app.add_subcommand("show", "Show every figure of an instance, with its source");
    show_->add_option("instance", instance_, "Name of the instance, like p3.8xlarge")->required()->type_name("NAME");
    format_.add_to(*show_);
  }

  void add_import(CLI::App& app) {
    import_ = app.add_subcommand("import", "Import machines and prices from a SkyPilot catalogue");
    import_->add_option("--skypilot", file_, "vms.csv of one cloud, versions 7 and 8")->required()->type_name("FILE");
    import_->add_option("--date", date_, "Date of the prices; default: when the file was last changed")
        ->type_name("YYYY-MM-DD");
    import_
        ->add_option(
            "--region", region_,
            "Take the prices of this region; default: for each instance, the cheapest region in the US, else anywhere")
        ->type_name("NAME");
    import_
        ->add_option("--cloud", cloud_,
                     "Cloud of the instances; default: from the name of the folder or of the instances")
        ->type_name("NAME");
    import_->footer(
        "Example: stash catalog import --skypilot ~/.sky/catalogs/v8/aws/vms.csv\n"
        "It takes the place of what was imported of the same cloud before. A row with a missing, zero or negative\n"
        "figure is named and left out.\n");
  }

  void add_add(CLI::App& app) {
    add_ = app.add_subcommand("add", "Add this machine, measured in a few seconds");
    add_->add_flag("--this-machine", this_machine_, "Measure decoding and storage on this machine")->required();
    add_->add_option("--name", machine_.name, "Name of the machine; default: the host name")->type_name("NAME");
    add_->add_option("--gpu", machine_.gpu, "GPU, as named in catalog/gpus.csv; default: what the driver reports")
        ->type_name("NAME");
    add_->add_option("--gpus", machine_.gpus, "Number of GPUs; default: what the driver reports")->type_name("N");
    price_.add_to(*add_, "Price of the machine");
    add_->add_option("--profile", file_, "Profile made on this machine: gives its links and input rates")
        ->type_name("FILE");
    add_->add_option("--storage", storage_, "Folder whose storage is timed; default: the cache folder")
        ->type_name("DIR");
    add_->footer("Example: stash catalog add --this-machine --name lab --gpu V100 --gpus 4 --usd-per-hour 2.50\n");
  }

  int list() {
    const Format format = format_.get();
    Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    check_filters(catalogue);
    std::erase_if(catalogue.instances, [&](const Instance& instance) {
      return (!gpu_.empty() && !has_gpu(instance, lower_case(gpu_))) ||
             (!cloud_.empty() && lower_case(instance.cloud) != cloud_name(cloud_));
    });
    print(render_instances(catalogue, format), format);
    return 0;
  }

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

  int show() {
    const Format format = format_.get();
    const Catalogue catalogue = read_catalogue();
    tell_warnings(catalogue.warnings);
    print(render_instance(find_instance(catalogue.instances, instance_), format), format);
    return 0;
  }

  int import() {
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
        write_user_instances(user_catalogue_folder(), file_name(found.cloud), found.catalogue.instances);
    fmt::print(
        "{} instances of {}, prices of {} in {}, from {} rows ({} without a GPU, {} with other accelerators)\n"
        "written to {}\n",
        found.catalogue.instances.size(), printable(found.cloud), options.date,
        region_.empty() ? "the cheapest US region of each" : printable(region_), format_count(found.rows),
        format_count(found.cpu_rows), format_count(found.other_rows), written.string());
    return 0;
  }

  int add() {
    check_machine();
    if (!file_.empty()) machine_.profile = read_profile(file_);
    machine_.storage = storage_.empty() ? ready_cache_folder() : fs::path(storage_);
    const ThisMachine measured = [&] {
      StatusLine line;
      return describe_this_machine(machine_, today(), [&](std::string_view text) { line.show(text); });
    }();
    const fs::path written = write_user_instances(
        user_catalogue_folder(), "machine-" + file_name(measured.instance.name), {&measured.instance, 1});
    print(render_instance(measured.instance, Format::text), Format::text);
    for (const std::string& what : measured.unknown) fmt::print("unknown: {}\n", printable(what));
    fmt::print("written to {}\n", written.string());
    return 0;
  }

  void check_machine() {
    constexpr int kMostGpus = 1024;
    machine_.usd_per_h = price_.get();
    if (machine_.gpus && (*machine_.gpus < 1 || *machine_.gpus > kMostGpus)) {
      throw UsageError(fmt::format("--gpus {} is out of range; it takes 1 to {}", *machine_.gpus, kMostGpus));
    }
    if (!machine_.gpu.empty()) find_gpu(machine_.gpu);
    if (find_if_any(instance_table(), machine_.name) != nullptr) {
      throw UsageError(
          fmt::format("--name {} is a rented machine of the catalogue; name yours otherwise", machine_.name));
    }
  }

  CLI::App* list_ = nullptr;
  CLI::App* show_ = nullptr;
  CLI::App* import_ = nullptr;
  CLI::App* add_ = nullptr;
  std::string gpu_, cloud_, instance_, file_, date_, region_, storage_;
  FormatFlag format_{kListFormats, "text: for people; json and csv: all that is known"};
  bool this_machine_ = false;
  ThisMachineOptions machine_;
  UsdFlag price_;
};

}  // namespace

std::unique_ptr<Verb> make_catalog_verb() { return std::make_unique<CatalogVerb>(); }

}  // namespace stash
