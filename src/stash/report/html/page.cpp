#include "stash/report/html/page.h"

#include "stash/report/advice_report.h"
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

std::vector<Section> sections_of(const Report& report) {
  return {first_step_section(report), ledger_section(report), communication_section(report),
          conditions_section(report), ranks_section(report),  collectives_section(report),
          input_section(report),      layers_section(report), machine_section(report),
          method_section(report)};
}

void append_report(std::vector<Section>& sections, PageHead& head, const std::optional<Report>& report) {
  if (!report) return;
  head.alerts = alerts_of(report->profile);
  head.lines.push_back("From a profile: " + verdict(report->profile, report->ledger));
  for (Section& section : sections_of(*report)) sections.push_back(std::move(section));
}

std::vector<std::string> head_lines(const Report& report) {
  std::vector<std::string> lines{job_line(report.profile)};
  if (std::string script = script_line(report.profile); !script.empty()) lines.push_back(std::move(script));
  if (std::string work = work_line(report.profile); !work.empty()) lines.push_back(std::move(work));
  if (std::string loader = loader_line(report.profile, report.ledger); !loader.empty()) {
    lines.push_back(std::move(loader));
  }
  return lines;
}

}  // namespace

std::string render_html(const Report& report) {
  const PageHead head{.title = "stash: " + job_name(report.profile.job),
                      .verdict = verdict(report.profile, report.ledger),
                      .lines = head_lines(report),
                      .alerts = alerts_of(report.profile)};
  return html_page(head, sections_of(report));
}

std::string render_predictions_html(const Predictions& predictions, const std::optional<Report>& report) {
  PageHead head{.title = "stash: predictions", .verdict = predictions_verdict(predictions), .lines = {}, .alerts = {}};
  std::vector<Section> sections = prediction_sections(predictions);
  append_report(sections, head, report);
  return html_page(head, sections);
}

std::string render_advice_html(const AdviceQuestion& question, const Advice& advice,
                               const std::optional<Report>& report) {
  PageHead head{
      .title = "stash: advice", .verdict = advice_verdict(question, advice), .lines = advice.notes, .alerts = {}};
  std::vector<Section> sections = advice_sections(advice);
  append_report(sections, head, report);
  return html_page(head, sections);
}

}  // namespace stash
