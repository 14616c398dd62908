#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// `text` for HTML and SVG, in content and in quoted attributes; control characters that XML forbids are
/// left out.
[[nodiscard]] std::string escape_markup(const std::string& text);

/// One SVG picture, for a page whose style sheet knows the classes. Coordinates are in units of the picture,
/// x right and y down. All text is escaped.
class Svg {
 public:
  /// `label`: what the picture shows, for those who do not see it.
  Svg(double width, double height, const std::string& label);

  /// `title`: shown while the pointer is on it; empty: none.
  void rect(double x, double y, double width, double height, const std::string& css, const std::string& title,
            double opacity = 1);
  void line(double x1, double y1, double x2, double y2, const std::string& css,
            const std::string& title = "");
  /// Through the points in order; nothing for fewer than two.
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& css,
                const std::string& title = "");
  void circle(double x, double y, double radius, const std::string& css, const std::string& title);
  /// `anchor`: start, middle or end, at x.
  void text(double x, double y, const std::string& text, const std::string& css,
            const std::string& anchor = "start");

  [[nodiscard]] std::string str() const;

 private:
  void element(const std::string& start, const std::string& title);

  std::string text_;
};

}  // namespace kiln
