#include "stash/cli/flags/format_flag.h"

#include <CLI/CLI.hpp>

namespace stash {

void FormatFlag::add_to(CLI::App& app) {
  std::string names;
  for (const Format format : formats_) names += (names.empty() ? "" : "|") + std::string(to_string(format));
  app.add_option("--format", text_, help_)->type_name(names)->default_str(std::string(to_string(formats_.front())));
}

Format FormatFlag::get() const { return text_ ? parse_format(*text_, formats_) : formats_.front(); }

FormatFlag page_format() { return {kPageFormats, "text, json, csv, or html: one file with charts"}; }

FormatFlag list_format() { return {kListFormats, "text, json or csv"}; }

}  // namespace stash
