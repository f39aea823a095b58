#pragma once

#include <string>
#include <string_view>

namespace stash {

enum class Anchor { start, middle, end };

// A picture as wide as the page: places across are percent, places down and sizes are pixels, so that text keeps its
// size on any screen. Classes are those of style.css. A tip is what a pointer that rests on the mark is shown. Texts
// are escaped here.
class Svg {
 public:
  Svg(double height, std::string_view label) : height_(height), label_(label) {}

  void rect(double x, double y, double width, double height, std::string_view classes, std::string_view tip = "");
  void line(double x1, double y1, double x2, double y2, std::string_view classes, std::string_view tip = "");
  void circle(double x, double y, double radius, std::string_view classes, std::string_view tip = "");
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, std::string_view classes = "");

  // A part from `top` down whose paths have units of their own across, stretched to the width of the page.
  void begin_stretched(double top, double height, double across);
  void path(std::string_view commands, std::string_view classes, std::string_view tip = "");
  void end_stretched() { marks_ += "</svg>"; }

  double height() const { return height_; }
  std::string str() const;

 private:
  void add(std::string_view element, const std::string& attributes, std::string_view classes, std::string_view tip);

  double height_;
  std::string label_;
  std::string marks_;
};

}  // namespace stash
