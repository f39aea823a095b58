#include "stash/cli/reference.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "stash/catalog/instance_keys.h"
#include "stash/cli/exit_codes.h"
#include "stash/core/error.h"
#include "stash/core/json_keys.h"
#include "stash/core/profile_keys.h"

namespace stash {
namespace {

// Help texts name a default that depends on the machine behind this mark; the tables have a column for it.
constexpr std::string_view kDefaultMark = "; default: ";

std::string region(std::string_view name, std::string_view content) {
  return fmt::format("<!-- generated: {} -->\n{}<!-- end generated -->\n", name, content);
}

// A cell of a table: bars would end it, and a browser would take <name> for markup.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '|' || letter == '<') safe += '\\';
    safe += letter;
  }
  return safe;
}

// In a table a bar ends a cell even in code.
std::string code(std::string_view text) {
  std::string safe;
  for (const char letter : text) safe += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return fmt::format("`{}`", safe);
}

// "--model NAME", "FILE", "TRACE..." as help shows it.
std::string usage_of(const CLI::Option& option) {
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  if (!option.get_positional()) {
    const std::string name = fmt::format("--{}", option.get_lnames().front());
    return type.empty() ? name : fmt::format("{} {}", name, type);
  }
  const bool several = option.get_items_expected_max() > 1;
  return (type.empty() ? option.get_name(true) : type) + (several ? "..." : "");
}

// (meaning, default) of a flag.
std::pair<std::string, std::string> meaning_of(const CLI::Option& option) {
  std::string meaning = option.get_description();
  if (!option.get_default_str().empty()) return {meaning, code(option.get_default_str())};
  if (const std::size_t mark = meaning.rfind(kDefaultMark); mark != std::string::npos) {
    const std::string value = meaning.substr(mark + kDefaultMark.size());
    return {meaning.substr(0, mark), cell(value)};
  }
  return {meaning, option.get_required() ? "required" : ""};
}

bool is_shown(const CLI::Option& option) {
  const bool is_help = !option.get_positional() && option.check_lname("help");
  return !option.get_group().empty() && !is_help && (option.get_positional() || !option.get_lnames().empty());
}

std::string flags_table(const CLI::App& verb) {
  std::string rows;
  for (const CLI::Option* option : verb.get_options()) {
    if (!is_shown(*option)) continue;
    const auto [meaning, fallback] = meaning_of(*option);
    rows += fmt::format("| {} | {} | {} |\n", code(usage_of(*option)), fallback, cell(meaning));
  }
  return rows.empty() ? "" : "| flag | default | meaning |\n|---|---|---|\n" + rows;
}

std::string exit_table(std::string_view verb) {
  std::string table = "| exit code | meaning |\n|---|---|\n";
  for (const ExitMeaning& one : exit_meanings(verb)) table += fmt::format("| {} | {} |\n", one.code, cell(one.meaning));
  return table;
}

std::string keys_table(const std::vector<JsonKey>& keys) {
  std::string table = "| key | type | meaning |\n|---|---|---|\n";
  for (const JsonKey& key : keys) {
    table += fmt::format("| {} | {} | {} |\n", code(key.path), cell(key.type), cell(key.meaning));
  }
  return table;
}

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

std::string flags_regions(const CLI::App& verb, const std::string& name) {
  std::string text;
  if (const std::string table = flags_table(verb); !table.empty()) text += region("flags " + name, table);
  for (const CLI::App* inner : shown_verbs(verb)) text += flags_regions(*inner, name + " " + inner->get_name());
  return text;
}

// The rows of docs/README.md: what --help says of each verb.
std::string verbs_table(const std::vector<const CLI::App*>& verbs) {
  std::string table = "| command | what it does |\n|---|---|\n";
  for (const CLI::App* verb : verbs) {
    table += fmt::format("| [{0}](cli/{0}.md) | {1} |\n", verb->get_name(), cell(verb->get_description()));
  }
  return table;
}

void check_exit_meanings(const std::vector<const CLI::App*>& verbs) {
  for (const std::string_view name : verbs_with_exit_meanings()) {
    const bool known = std::ranges::any_of(verbs, [&](const CLI::App* verb) { return verb->get_name() == name; });
    if (!known) throw Error(fmt::format("exit_codes.cpp describes the verb '{}', which does not exist", name));
  }
}

}  // namespace

std::string reference_text(const CLI::App& app) {
  const std::vector<const CLI::App*> verbs = shown_verbs(app);
  check_exit_meanings(verbs);
  std::string text;
  for (const CLI::App* verb : verbs) {
    text += flags_regions(*verb, verb->get_name());
    text += region("exit codes " + verb->get_name(), exit_table(verb->get_name()));
  }
  text += region("verbs", verbs_table(verbs));
  text += region("keys profile", keys_table(profile_keys()));
  text += region("keys instance", keys_table(instance_keys()));
  return text;
}

}  // namespace stash
