#include "stash/view/site.h"

#include <fmt/format.h>

#include "stash/attribute/difference.h"
#include "stash/core/error.h"
#include "stash/report/difference_report.h"
#include "stash/report/html/difference_page.h"
#include "stash/report/html/page.h"
#include "stash/report/printable.h"
#include "stash/view/list_page.h"

namespace stash {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
// The list has one script, from here, which asks only here. Reports have theirs inside and ask nobody.
constexpr const char* kListPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "img-src data:";
constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; img-src data:";

Response html_response(std::string body, const char* policy) {
  return {.status = 200, .type = kHtml, .body = std::move(body), .policy = policy};
}

// Names are encoded once more in the list's form.
std::string chosen_file(const Request& request, const std::string& which) {
  return decode_percent(request.value(which)).value_or("");
}

// What is wrong with a file is the reader's to know, not the server's fault.
template <class Page>
Response page_or_reason(const Page& page) {
  try {
    return html_response(page(), kReportPolicy);
  } catch (const Error& error) {
    return text_response(422, printable(error.what(), true, 1000));
  }
}

}  // namespace

Site::Site(const std::filesystem::path& folder, MakeReport make_report)
    : name_(folder.string()), make_report_(std::move(make_report)), folder_(folder) {}

Response Site::answer(const Request& request) {
  if (request.path == "/") return list(request);
  if (request.path == "/rows") return rows(request);
  if (request.path == "/profile") return profile(request);
  if (request.path == "/compare") return compare(request);
  if (request.path == "/view.js") {
    return {.type = "text/javascript; charset=utf-8", .body = std::string(list_script())};
  }
  if (request.path == "/events") return {.type = "text/event-stream", .body = ": open\n\n", .is_stream = true};
  return text_response(404, "there is no such page; the list is at /");
}

Response Site::list(const Request& request) {
  folder_.refresh(kBudget_s);
  return html_response(list_page(name_, folder_, filter_of(request)), kListPolicy);
}

Response Site::rows(const Request& request) {
  return html_response(list_rows(folder_, filter_of(request)), kListPolicy);
}

Response Site::profile(const Request& request) {
  return page_or_reason([&] { return render_html(make_report_(folder_.read(request.value("file")))); });
}

Response Site::compare(const Request& request) {
  const std::string before_name = chosen_file(request, "before"), after_name = chosen_file(request, "after");
  if (before_name.empty() || after_name.empty()) {
    return text_response(422, "choose a profile in the column `before` and one in the column `after`");
  }
  return page_or_reason([&] {
    const Profile before = folder_.read(before_name), after = folder_.read(after_name);
    return render_difference_html({before, after, stash::compare(before, after)}, before_name, after_name);
  });
}

}  // namespace stash
