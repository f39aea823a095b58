#include "stash/view/list_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <sstream>

#include "stash/report/html/embedded_page.h"
#include "stash/report/html/escape.h"
#include "stash/view/list_files.h"

namespace stash {

namespace {

std::string time_of(std::int64_t modified_ns) {
  const auto seconds = static_cast<std::time_t>(modified_ns / 1'000'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min);
}

std::string stall_of(const ProfileSummary& profile) {
  return profile.stall ? fmt::format("{} {:.0f} %", to_string(*profile.stall), profile.stall_ratio * 100) : "none";
}

std::string cell(std::string_view text, bool is_number = false) {
  return fmt::format("<td{}>{}</td>", is_number ? " class=\"n\"" : "", html_text(text));
}

// Its value is encoded, since a form sends what is not UTF-8 as something else.
std::string choice(std::string_view name, std::string_view file) {
  return fmt::format("<td><input type=\"radio\" name=\"{0}\" value=\"{1}\" aria-label=\"{0} is {2}\"></td>", name,
                     encode_percent(file), html_text(file, 300));
}

std::string profile_cells(const ListedFile& file) {
  const ProfileSummary& profile = *file.profile;
  return choice("before", file.name) + choice("after", file.name) +
         fmt::format("<th scope=\"row\"><a href=\"/profile?file={}\">{}</a></th>", encode_percent(file.name),
                     html_text(file.name, 300)) +
         cell(profile.model) + cell(profile.batch > 0 ? fmt::format("{}", profile.batch) : "–", true) +
         cell(profile.device) + cell(fmt::format("{}", profile.ranks), true) +
         cell(fmt::format("{}", profile.nodes), true) + cell(fmt::format("{:.2f}", profile.step_s * 1e3), true) +
         cell(stall_of(profile) + (profile.complete ? "" : " (ended early)"));
}

std::string other_cells(const ListedFile& file) {
  const std::string why = file.why_not.empty() ? "not read yet" : "not a profile: " + file.why_not;
  return fmt::format("<td></td><td></td><th scope=\"row\">{}</th><td colspan=\"7\" class=\"quiet\">{}</td>",
                     html_text(file.name, 300), html_text(why, 300));
}

std::string row(const ListedFile& file) {
  return fmt::format("<tr>{}{}</tr>\n", file.profile ? profile_cells(file) : other_cells(file),
                     cell(time_of(file.modified_ns)));
}

std::string text_of(const ListedFile& file) {
  if (!file.profile) return ascii_lower(file.name + " " + file.why_not);
  const ProfileSummary& profile = *file.profile;
  return ascii_lower(fmt::format("{} {} batch {} {} {} ranks {} nodes {} {}", file.name, profile.model, profile.batch,
                                 profile.device, profile.ranks, profile.nodes, stall_of(profile),
                                 time_of(file.modified_ns)));
}

std::string options(std::string_view all, const std::set<std::string>& names, const std::string& chosen) {
  std::string html = fmt::format("<option value=\"\">{}</option>", all);
  for (const std::string& name : names) {
    html += fmt::format("<option value=\"{0}\"{1}>{0}</option>", html_text(name), name == chosen ? " selected" : "");
  }
  return html;
}

std::string filter_form(const std::vector<ListedFile>& files, const ListFilter& filter) {
  std::set<std::string> parts, devices;
  for (const ListedFile& file : files) {
    if (!file.profile) continue;
    devices.insert(file.profile->device);
    if (file.profile->stall) parts.insert(std::string(to_string(*file.profile->stall)));
  }
  return fmt::format(
      "<form id=\"filter\" role=\"search\"><label>words <input type=\"search\" name=\"words\" value=\"{}\"></label> "
      "<label>largest stall <select name=\"part\">{}</select></label> "
      "<label>device <select name=\"device\">{}</select></label> <button>Filter</button></form>\n",
      html_text(filter.words), options("any", parts, filter.part), options("any", devices, filter.device));
}

constexpr std::string_view kColumns =
    "<tr><th scope=\"col\">before</th><th scope=\"col\">after</th><th scope=\"col\">file</th><th "
    "scope=\"col\">model</th>"
    "<th scope=\"col\" class=\"n\">batch</th><th scope=\"col\">device</th><th scope=\"col\" class=\"n\">ranks</th>"
    "<th scope=\"col\" class=\"n\">nodes</th><th scope=\"col\" class=\"n\">step, ms</th>"
    "<th scope=\"col\">largest stall</th><th scope=\"col\">written, UTC</th></tr>";

}  // namespace

ListFilter filter_of(const Request& request) {
  return {request.value("words"), request.value("part"), request.value("device")};
}

bool matches(const ListedFile& file, const ListFilter& filter) {
  const std::string text = text_of(file);
  std::istringstream words(ascii_lower(filter.words));
  for (std::string word; words >> word;) {
    if (text.find(word) == std::string::npos) return false;
  }
  const auto is = [&](const std::string& wanted, std::string_view found) {
    return wanted.empty() || (file.profile && wanted == found);
  };
  const bool has_stall = file.profile && file.profile->stall;
  return is(filter.part, has_stall ? to_string(*file.profile->stall) : "") &&
         is(filter.device, file.profile ? file.profile->device : "");
}

std::string list_rows(const ProfileFolder& files, const ListFilter& filter) {
  std::string rows;
  for (const ListedFile& file : files.files()) {
    if (matches(file, filter)) rows += row(file);
  }
  if (files.left_out() > 0) {
    rows += fmt::format("<tr><td colspan=\"11\">and {} files more</td></tr>\n", files.left_out());
  }
  return rows.empty() ? "<tr><td colspan=\"11\">no profiles here; stash profile --out FILE makes one</td></tr>\n"
                      : rows;
}

std::string list_page(const std::string& folder, const ProfileFolder& files, const ListFilter& filter) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>stash: {0}</title>\n<style>\n{1}body {{ max-width: 90rem; }}\n</style>\n</head>\n<body>\n<main>\n"
      "<h1>Profiles in {0}</h1>\n{2}<p id=\"state\" class=\"quiet\" role=\"status\"></p>\n"
      "<form id=\"compare\" action=\"/compare\">\n<p><button>Compare before and after</button></p>\n"
      "<div class=\"scroll\"><table><thead>{3}</thead><tbody id=\"rows\">\n{4}</tbody></table></div>\n</form>\n"
      "</main>\n<script src=\"/view.js\"></script>\n</body>\n</html>\n",
      html_text(folder), kPageStyle, filter_form(files.files(), filter), kColumns, list_rows(files, filter));
}

std::string_view list_script() { return kListScript; }

}  // namespace stash
