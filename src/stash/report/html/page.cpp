#include "stash/report/html/page.h"

#include "stash/report/advice.h"
#include "stash/report/html/page_frame.h"
#include "stash/report/html/prediction_sections.h"
#include "stash/report/lines.h"
#include "stash/report/predictions.h"
#include "stash/report/verdict.h"

namespace stash {

namespace {

std::vector<std::string> alerts_of(const Profile& profile) {
  return {emulated_line("This was", profile.job), incomplete_line(profile)};
}

std::vector<Section> sections_of(const Measured& measured) {
  return {first_step_section(measured), ledger_section(measured),      conditions_section(measured),
          ranks_section(measured),      collectives_section(measured), input_section(measured),
          layers_section(measured),     machine_section(measured),     method_section(measured)};
}

void append_measured(std::vector<Section>& sections, PageHead& head, const Measured* measured) {
  if (measured == nullptr) return;
  head.alerts = alerts_of(measured->profile);
  head.lines.push_back("From a profile: " + verdict(measured->profile, measured->ledger));
  for (Section& section : sections_of(*measured)) sections.push_back(std::move(section));
}

}  // namespace

std::string render_html(const Measured& measured) {
  const PageHead head{.title = "stash: " + measured.profile.job.model,
                      .verdict = verdict(measured.profile, measured.ledger),
                      .lines = {job_line(measured.profile)},
                      .alerts = alerts_of(measured.profile)};
  return html_page(head, sections_of(measured));
}

std::string render_predictions_html(const Predictions& predictions, const Measured* measured) {
  PageHead head{.title = "stash: predictions", .verdict = predictions_verdict(predictions), .lines = {}, .alerts = {}};
  std::vector<Section> sections = prediction_sections(predictions);
  append_measured(sections, head, measured);
  return html_page(head, sections);
}

std::string render_advice_html(const AdviceQuestion& question, const Advice& advice, const Measured* measured) {
  PageHead head{
      .title = "stash: advice", .verdict = advice_verdict(question, advice), .lines = advice.notes, .alerts = {}};
  std::vector<Section> sections = advice_sections(advice);
  append_measured(sections, head, measured);
  return html_page(head, sections);
}

}  // namespace stash
