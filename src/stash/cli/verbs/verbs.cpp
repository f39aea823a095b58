#include "stash/battery/this_machine.h"
#include "stash/cli/battery_output.h"
#include "stash/cli/serve_bench_output.h"
#include "stash/cli/shared_script.h"
#include "stash/cli/split_predictions.h"
#include "stash/cli/verbs/rest_of_program.h"
#include "stash/cli/verbs/verb.h"

namespace stash {

std::vector<std::unique_ptr<Verb>> make_verbs() {
  const RestOfProgram rest{.predict_splits = predict_splits,
                           .run_shared_script = run_shared_script,
                           .render_battery_folder = render_battery_folder,
                           .render_serve_bench_file = render_serve_bench_file,
                           .compare_serve_benches = compare_serve_benches,
                           .describe_this_machine = describe_this_machine};
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_profile_verb());
  verbs.push_back(make_run_verb(rest));
  verbs.push_back(make_watch_verb());
  verbs.push_back(make_report_verb(rest));
  verbs.push_back(make_diff_verb(rest));
  verbs.push_back(make_import_verb());
  verbs.push_back(make_view_verb());
  verbs.push_back(make_predict_verb(rest));
  verbs.push_back(make_advise_verb());
  verbs.push_back(make_plan_verb());
  verbs.push_back(make_serve_verb());
  verbs.push_back(make_load_verb());
  verbs.push_back(make_fleet_verb());
  verbs.push_back(make_share_verb());
  verbs.push_back(make_study_verb());
  verbs.push_back(make_characterize_verb());
  verbs.push_back(make_compare_verb());
  verbs.push_back(make_links_verb());
  verbs.push_back(make_doctor_verb());
  verbs.push_back(make_catalog_verb(rest));
  verbs.push_back(make_models_verb());
  verbs.push_back(make_dataset_verb());
  verbs.push_back(make_extension_verb());
  return verbs;
}

}  // namespace stash
