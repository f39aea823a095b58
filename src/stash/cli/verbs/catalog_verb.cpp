#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "stash/cli/verbs/catalog_verbs.h"
#include "stash/cli/verbs/inner_verbs.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/core/words.h"
#include "stash/report/printable.h"
#include "stash/report/terminal.h"

namespace stash {
namespace {

class CatalogVerb final : public Verb {
 public:
  explicit CatalogVerb(const RestOfProgram& rest) : rest_(rest) {}

  std::string name() const override { return "catalog"; }
  std::string description() const override { return "List machines that can be rented, with prices; add your own"; }

  void add_flags(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  stash catalog list --gpu V100\n"
        "  stash catalog show p3.8xlarge\n"
        "  stash catalog import --skypilot vms.csv --date 2026-08-22\n"
        "  stash catalog add --name lab --usd-per-hour 2.50\n"
        "What is imported or added is kept in $XDG_DATA_HOME/stash/catalog, else ~/.local/share/stash/catalog.\n");
    verbs_.add(app, make_catalog_list_verb());
    verbs_.add(app, make_catalog_show_verb());
    verbs_.add(app, make_catalog_import_verb());
    verbs_.add(app, make_catalog_add_verb(rest_));
  }

  int run() override { return verbs_.chosen()->run(); }  // one of them is required

 private:
  RestOfProgram rest_;
  InnerVerbs verbs_;
};

}  // namespace

FormatFlag catalogue_format() { return {kListFormats, "text: for people; json and csv: all that is known"}; }

void print_catalogue(const std::string& text, Format format) {
  const bool plain = format == Format::text && !options_for_stdout().unicode;
  fmt::print("{}", plain ? to_ascii(text) : text);
}

std::string catalogue_file_name(std::string_view name) {
  std::string result;
  for (const char c : lower_case(name)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    result += plain ? c : '_';
  }
  return result;
}

std::unique_ptr<Verb> make_catalog_verb(const RestOfProgram& rest) { return std::make_unique<CatalogVerb>(rest); }

}  // namespace stash
