#include "report/svg.h"

#include <cmath>

#include "base/text.h"

namespace kiln {
namespace {

/// Two decimals are finer than a pixel.
std::string number(double value) {
  constexpr double kDecimals = 100;
  return format_number(std::round(value * kDecimals) / kDecimals);
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string attribute(const char* name, double value) {
  return attribute(name, number(value));
}

}  // namespace

std::string escape_markup(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

Svg::Svg(double width, double height, const std::string& label)
    : text_("<svg viewBox=\"0 0 " + number(width) + " " + number(height) + "\" role=\"img\"" +
            attribute("aria-label", label) + ">\n") {}

void Svg::rect(double x, double y, double width, double height, const std::string& css,
               const std::string& title, double opacity) {
  element("<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
              attribute("height", height) + attribute("class", css) +
              (opacity < 1 ? attribute("fill-opacity", opacity) : ""),
          title);
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& css, const std::string& title) {
  element("<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
              attribute("class", css),
          title);
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& css,
                   const std::string& title) {
  if (points.size() < 2) return;
  std::string places;
  for (const auto& [x, y] : points) places += (places.empty() ? "" : " ") + number(x) + "," + number(y);
  element("<polyline" + attribute("points", places) + attribute("class", css), title);
}

void Svg::circle(double x, double y, double radius, const std::string& css, const std::string& title) {
  element(
      "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + attribute("class", css),
      title);
}

void Svg::text(double x, double y, const std::string& text, const std::string& css,
               const std::string& anchor) {
  text_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("class", css) +
           attribute("text-anchor", anchor) + ">" + escape_markup(text) + "</text>\n";
}

std::string Svg::str() const {
  return text_ + "</svg>\n";
}

void Svg::element(const std::string& start, const std::string& title) {
  const std::string name = start.substr(1, start.find(' ') - 1);
  text_ += title.empty() ? start + "/>\n"
                         : start + "><title>" + escape_markup(title) + "</title></" + name + ">\n";
}

}  // namespace kiln
