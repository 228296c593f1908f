#pragma once

// What is in an SVG that a test has made.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace trammel::figures {

/// One tag of an SVG, with what stands between it and the next.
struct Tag {
  std::string name;        ///< "text", "/text", "path"
  std::string attributes;  ///< as written
  std::string text;

  /// The value of an attribute; a missing one is empty.
  std::string value(const std::string& key) const {
    const std::string start = " " + key + "=\"";
    const std::size_t at = attributes.find(start);
    if (at == std::string::npos) return "";
    const std::size_t first = at + start.size();
    return attributes.substr(first, attributes.find('"', first) - first);
  }
};

/// The tags in their order. Fails the test where they are not nested, an attribute is not quoted, or a text has a
/// letter that has to be written otherwise.
inline std::vector<Tag> parse_svg(const std::string& svg) {
  std::vector<Tag> tags;
  std::vector<std::string> open;
  std::size_t at = 0;
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  while ((at = svg.find('<', at)) != std::string::npos) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) {
      ADD_FAILURE() << "a tag does not end: " << svg.substr(at, 80);
      break;
    }
    std::string inside = svg.substr(at + 1, end - at - 1);
    EXPECT_EQ(inside.find('<'), std::string::npos) << inside;
    EXPECT_EQ(std::count(inside.begin(), inside.end(), '"') % 2, 0) << inside;
    const bool is_empty = inside.ends_with("/");
    if (is_empty) inside.pop_back();
    Tag tag;
    tag.name = inside.substr(0, inside.find(' '));
    tag.attributes = inside.substr(tag.name.size());
    tag.text = svg.substr(end + 1, svg.find('<', end) - end - 1);
    if (tag.name.starts_with("/")) {
      EXPECT_FALSE(open.empty()) << "nothing is open: " << tag.name;
      if (!open.empty()) {
        EXPECT_EQ("/" + open.back(), tag.name);
        open.pop_back();
      }
    } else if (!is_empty) {
      open.push_back(tag.name);
    }
    for (std::size_t i = 0; (i = tag.text.find('&', i)) != std::string::npos; ++i) {
      const std::string name = tag.text.substr(i, tag.text.find(';', i) - i + 1);
      EXPECT_TRUE(name == "&amp;" || name == "&lt;" || name == "&gt;" || name == "&quot;") << name;
    }
    tags.push_back(tag);
    at = end + 1;
  }
  EXPECT_TRUE(open.empty()) << open.size() << " tags are still open";
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  return tags;
}

/// All texts, with their raised parts behind '^'.
inline std::vector<std::string> list_texts(const std::string& svg) {
  std::vector<std::string> texts;
  bool is_inside = false;
  for (const Tag& tag : parse_svg(svg)) {
    if (tag.name == "text") texts.push_back(tag.text);
    if (tag.name == "tspan" && is_inside) texts.back() += (tag.value("font-size").empty() ? "" : "^") + tag.text;
    if (tag.name == "/tspan" && is_inside) texts.back() += tag.text;
    if (tag.name == "text" || tag.name == "/text") is_inside = tag.name == "text";
  }
  return texts;
}

inline bool has_text(const std::string& svg, const std::string& text) {
  const std::vector<std::string> texts = list_texts(svg);
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

struct DrawnPoint {
  double x, y;
};

/// The places of a path "M1 2L3 4".
inline std::vector<DrawnPoint> parse_path(const std::string& path) {
  std::vector<DrawnPoint> points;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t space = path.find(' ', at);
    const std::size_t end = std::min(path.find('L', space), path.size());
    points.push_back({std::stod(path.substr(at + 1, space - at - 1)), std::stod(path.substr(space, end - space))});
    at = end;
  }
  return points;
}

/// The lines of one colour in the frames, without the samples of legends: frames are drawings within the drawing.
inline std::vector<std::vector<DrawnPoint>> list_curves(const std::string& svg, const std::string& colour) {
  std::vector<std::vector<DrawnPoint>> curves;
  int depth = 0;
  for (const Tag& tag : parse_svg(svg)) {
    if (tag.name == "svg") ++depth;
    if (tag.name == "/svg") --depth;
    if (depth == 2 && tag.name == "path" && tag.value("stroke") == colour && tag.value("fill").empty()) {
      curves.push_back(parse_path(tag.value("d")));
    }
  }
  return curves;
}

inline constexpr const char* kFirstColour = "#0072b2";
inline constexpr const char* kSecondColour = "#d55e00";

}  // namespace trammel::figures
