#include "stash/cli/verbs/verb.h"

namespace stash {

std::vector<std::unique_ptr<Verb>> make_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_profile_verb());
  verbs.push_back(make_run_verb());
  verbs.push_back(make_watch_verb());
  verbs.push_back(make_report_verb());
  verbs.push_back(make_diff_verb());
  verbs.push_back(make_import_verb());
  verbs.push_back(make_view_verb());
  verbs.push_back(make_predict_verb());
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
  verbs.push_back(make_catalog_verb());
  verbs.push_back(make_models_verb());
  verbs.push_back(make_dataset_verb());
  verbs.push_back(make_extension_verb());
  return verbs;
}

}  // namespace stash
