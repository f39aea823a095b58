#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "stash/cli/flags/format_flag.h"
#include "stash/cli/verbs/verb.h"

namespace stash {

// The verbs of `stash catalog`.
std::unique_ptr<Verb> make_catalog_list_verb();
std::unique_ptr<Verb> make_catalog_show_verb();
std::unique_ptr<Verb> make_catalog_import_verb();
std::unique_ptr<Verb> make_catalog_add_verb(const RestOfProgram& rest);

FormatFlag catalogue_format();  // text, json or csv
// To standard output, in plain letters where it takes no others.
void print_catalogue(const std::string& text, Format format);
// A name that can be part of a file's.
std::string catalogue_file_name(std::string_view name);

}  // namespace stash
