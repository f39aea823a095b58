#include "stash/report/html/svg.h"

#include <fmt/format.h>

#include "stash/report/html/escape.h"

namespace stash {

namespace {

// Of names from a file, in characters.
constexpr std::size_t kLongestTip = 120;
constexpr std::size_t kLongestLabel = 60;

// Two decimals of a percent are a tenth of a pixel on a page of 1,000.
std::string percent(double x) { return fmt::format("{:.2f}%", x); }

std::string pixels(double y) { return fmt::format("{:.4g}", y); }

}  // namespace

void Svg::add(std::string_view element, const std::string& attributes, std::string_view classes, std::string_view tip) {
  marks_ += fmt::format("<{} {} class=\"{}\"", element, attributes, classes);
  marks_ +=
      tip.empty() ? std::string("/>") : fmt::format("><title>{}</title></{}>", html_text(tip, kLongestTip), element);
}

void Svg::rect(double x, double y, double width, double height, std::string_view classes, std::string_view tip) {
  add("rect",
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", percent(x), pixels(y), percent(width),
                  pixels(height)),
      classes, tip);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes, std::string_view tip) {
  add("line", fmt::format("x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", percent(x1), pixels(y1), percent(x2), pixels(y2)),
      classes, tip);
}

void Svg::circle(double x, double y, double radius, std::string_view classes, std::string_view tip) {
  add("circle", fmt::format("cx=\"{}\" cy=\"{}\" r=\"{}\"", percent(x), pixels(y), pixels(radius)), classes, tip);
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, std::string_view classes) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  marks_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>", percent(x), pixels(y),
                        kAnchors[static_cast<int>(anchor)], classes, html_text(text, kLongestLabel));
}

void Svg::begin_stretched(double top, double height, double across) {
  marks_ += fmt::format(
      "<svg x=\"0\" y=\"{}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\">",
      pixels(top), pixels(height), pixels(across), pixels(height));
}

void Svg::path(std::string_view commands, std::string_view classes, std::string_view tip) {
  add("path", fmt::format("d=\"{}\"", commands), classes, tip);
}

std::string Svg::str() const {
  return fmt::format("<svg role=\"img\" aria-label=\"{}\" width=\"100%\" height=\"{}\">{}</svg>\n", html_text(label_),
                     pixels(height_), marks_);
}

}  // namespace stash
