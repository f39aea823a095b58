#include "stash/battery/this_machine.h"
#include "stash/cli/rest_is_needed.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"
#include "stash/predict/prediction.h"

namespace stash {
namespace {

template <typename Result, typename... Arguments>
Result needed(Arguments...) {
  throw RestIsNeeded();
}

}  // namespace

// Those of the first program; scripts/build.sh lists them too.
std::vector<std::unique_ptr<Verb>> make_verbs() {
  const RestOfProgram rest{.predict_splits = needed,
                           .run_shared_script = needed,
                           .render_battery_folder = needed,
                           .render_serve_bench_file = needed,
                           .compare_serve_benches = needed,
                           .describe_this_machine = needed};
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_profile_verb());
  verbs.push_back(make_run_verb(rest));
  verbs.push_back(make_watch_verb());
  verbs.push_back(make_report_verb(rest));
  verbs.push_back(make_diff_verb(rest));
  verbs.push_back(make_import_verb());
  verbs.push_back(make_predict_verb(rest));
  verbs.push_back(make_advise_verb());
  verbs.push_back(make_links_verb());
  verbs.push_back(make_doctor_verb());
  verbs.push_back(make_catalog_verb(rest));
  verbs.push_back(make_models_verb());
  verbs.push_back(make_dataset_verb());
  verbs.push_back(make_extension_verb());
  return verbs;
}

}  // namespace stash
