#include "stash/report/html/page_frame.h"

#include <fmt/format.h>

#include "stash/core/version.h"
#include "stash/report/html/embedded_page.h"
#include "stash/report/html/escape.h"
#include "stash/report/html/markup.h"

namespace stash {

namespace {

std::string navigation(const std::vector<Section>& sections) {
  std::string items;
  for (const Section& section : sections) {
    if (!section.body.empty()) items += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
  }
  return fmt::format("<nav aria-label=\"Sections\"><ul>{}</ul></nav>\n", items);
}

std::string header(const PageHead& head) {
  std::string html = fmt::format("<header>\n<h1>{}</h1>\n", html_text(head.verdict, 400));
  for (const std::string& alert : head.alerts) {
    if (alert.empty()) continue;
    html += fmt::format("<div class=\"note warn\" role=\"note\">{}</div>\n", paragraph(alert));
  }
  for (const std::string& line : head.lines) html += paragraph(line, "quiet");
  return html + "</header>\n";
}

}  // namespace

std::string html_page(const PageHead& head, const std::vector<Section>& sections) {
  std::string body;
  for (const Section& section : sections) {
    if (section.body.empty()) continue;
    body += fmt::format("<section id=\"{}\" aria-labelledby=\"{}-title\">\n<h2 id=\"{}-title\">{}</h2>\n{}</section>\n",
                        section.id, section.id, section.id, section.title, section.body);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"stash {}\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n{}{}"
      "<main id=\"content\">\n{}</main>\n<script>\n{}</script>\n</body>\n</html>\n",
      kVersion, html_text(head.title), kPageStyle, header(head), navigation(sections), body, kPageScript);
}

}  // namespace stash
