#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stash {

// One verb of the program: its name, what it says about itself, its flags, what it does.
class Verb {
 public:
  virtual ~Verb() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  // one line
  virtual void add_flags(CLI::App& app) = 0;    // binds members; `app` is the verb's subcommand
  virtual int run() = 0;                        // results to stdout, progress to stderr; returns the exit code
};

struct RestOfProgram;

// In the order of the help.
std::vector<std::unique_ptr<Verb>> make_verbs();

std::unique_ptr<Verb> make_advise_verb();
std::unique_ptr<Verb> make_catalog_verb(const RestOfProgram& rest);
std::unique_ptr<Verb> make_characterize_verb();
std::unique_ptr<Verb> make_compare_verb();
std::unique_ptr<Verb> make_dataset_verb();
std::unique_ptr<Verb> make_diff_verb(const RestOfProgram& rest);
std::unique_ptr<Verb> make_doctor_verb();
std::unique_ptr<Verb> make_extension_verb();
std::unique_ptr<Verb> make_fleet_verb();
std::unique_ptr<Verb> make_import_verb();
std::unique_ptr<Verb> make_links_verb();
std::unique_ptr<Verb> make_load_verb();
std::unique_ptr<Verb> make_models_verb();
std::unique_ptr<Verb> make_plan_verb();
std::unique_ptr<Verb> make_predict_verb(const RestOfProgram& rest);
std::unique_ptr<Verb> make_profile_verb();
std::unique_ptr<Verb> make_report_verb(const RestOfProgram& rest);
std::unique_ptr<Verb> make_run_verb(const RestOfProgram& rest);
std::unique_ptr<Verb> make_serve_verb();
std::unique_ptr<Verb> make_share_verb();
std::unique_ptr<Verb> make_study_verb();
std::unique_ptr<Verb> make_view_verb();
std::unique_ptr<Verb> make_watch_verb();

}  // namespace stash
