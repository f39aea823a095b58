#include "stash/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "stash/cli/exit_codes.h"
#include "stash/cli/reference.h"
#include "stash/cli/verbs/profile_examples.h"
#include "stash/core/error.h"
#include "stash/core/version.h"

namespace stash {

namespace {

constexpr const char* kDescription =
    "Stash shows where the time of a distributed training step goes (compute, communication, data loading, storage)\n"
    "and what each stall costs in milliseconds and dollars.";

constexpr const char* kMoreExamples =
    "  stash profile --inject read=20MB/s                        what if storage were slower?\n"
    "  stash report r50.json --usd-per-hour 24.48                the same page again, with dollars\n"
    "  stash models                                              what can be trained\n"
    "  stash catalog list --gpu V100                             what can be rented\n"
    "\n"
    "'stash VERB --help' lists the flags of a verb.\n";

// CLI11 leaves an empty line where the old names of flags, which no help shows, would stand.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    const std::size_t gap = text.find("\n\n\n");
    return gap == std::string::npos ? text : text.erase(gap, 1);
  }
};

std::string exit_codes_line() {
  std::string line = "Exit codes:\n";
  for (const ExitMeaning& one : exit_meanings("")) line += fmt::format("  {:<4}{}\n", one.code, one.meaning);
  return line;
}

std::vector<std::string_view> as_views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

// The verb in use, or the verb's own verb (dataset make).
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// "catalog add": a verb's own verb with the verb before it.
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const bool is_verb = parent == nullptr || parent->get_parent() == nullptr;
  return is_verb ? app.get_name() : fmt::format("{} {}", full_name(*parent), app.get_name());
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back(fmt::format("--{}", name));
  }
  return flags;
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    names.push_back(verb->get_name());
  }
  return names;
}

// What CLI11 did not expect: a misspelt flag, a misspelt verb, or a word too many.
[[noreturn]] void throw_unexpected(const CLI::App& app, const std::string& argument) {
  const CLI::App& place = innermost(app);
  const bool is_flag = argument.starts_with('-');
  const std::vector<std::string> known = is_flag ? flags_of(place) : verbs_of(place);
  if (!is_flag && known.empty()) {
    throw UsageError(fmt::format("'{}' is one word too many; see 'stash {} --help'", argument, full_name(place)));
  }
  const std::string name = argument.substr(0, argument.find('='));
  throw_unknown(is_flag ? "flag" : "verb", name, as_views(known));
}

// "FILE" or "--skypilot FILE" of the first that has to be given and was not.
std::string missing_from(const CLI::App& place) {
  for (const CLI::Option* option : place.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const bool is_flag = !option->get_lnames().empty();
    const std::string value = option->get_type_name();
    if (!is_flag) return value == "FILE" || value.empty() ? option->get_name() : value;  // two files have two names
    const std::string flag = fmt::format("--{}", option->get_lnames().front());
    return value.empty() ? flag : fmt::format("{} {}", flag, value);
  }
  return {};
}

[[noreturn]] void throw_usage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unexpected = app.remaining(true);
  if (!unexpected.empty()) throw_unexpected(app, unexpected.front());
  const CLI::App& place = innermost(app);
  if (&place == &app) {
    throw UsageError(
        fmt::format("no command given; choose one of: {}; see 'stash --help'", fmt::join(verbs_of(app), ", ")));
  }
  if (place.get_require_subcommand_min() > 0 && place.get_subcommands().empty()) {
    throw UsageError(fmt::format("no command given; choose one of: {}; see 'stash {} --help'",
                                 fmt::join(verbs_of(place), ", "), full_name(place)));
  }
  const std::string missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ? missing_from(place) : "";
  const std::string what = missing.empty() ? std::string(error.what()) : fmt::format("{} is missing", missing);
  throw UsageError(fmt::format("{}; see 'stash {} --help'", what, full_name(place)));
}

}  // namespace

int run_command_line(std::span<const std::unique_ptr<Verb>> verbs, int argc, char** argv) {
  CLI::App app(kDescription, "stash");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "VERB");
  app.formatter(formatter);
  app.set_version_flag("--version", "stash " + version_text());
  app.require_subcommand(1);
  Verb* chosen = nullptr;
  bool wants_reference = false;  // for the documentation, not for users: in no help text
  app.add_subcommand("reference", "Print the tables of docs/cli")->group("")->callback([&] { wants_reference = true; });
  for (const auto& verb : verbs) {
    CLI::App* subcommand = app.add_subcommand(verb->name(), verb->description());
    subcommand->group("Verbs");
    verb->add_flags(*subcommand);
    subcommand->callback([&chosen, candidate = verb.get()] { chosen = candidate; });
  }
  app.footer(std::string(kProfileExamples) + kMoreExamples +
             exit_codes_line());  // after the verbs, which would inherit it
  if (argc <= 1) {
    fmt::print(stderr, "{}stash: no verb given; to begin with: stash profile\n", app.help());
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw_usage(app, error);
  }
  if (wants_reference) {
    fmt::print("{}", reference_text(app));
    return 0;
  }
  return chosen->run();
}

}  // namespace stash
