// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tern::mgmt {

namespace {

constexpr double kWidth = 1180, kMargin = 10, kLine = 17, kTop = 36, kLeastWidth = 0.4;
constexpr double kCharacter = 6.7;  // of the font, in the boxes

// Warm colours, the same for a name in every picture.
std::string colour_of(const std::string& name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("#{:02x}{:02x}{:02x}", 225 + hash % 28, 110 + (hash >> 8) % 100,
                     60 + (hash >> 16) % 50);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

class Picture {
 public:
  Picture(const CallTree& tree, const std::string& title)
      : tree_(tree), title_(title), totals_(tree.totals()) {}

  std::string draw() {
    const double scale = kWidth / static_cast<double>(std::max<std::uint64_t>(totals_[0], 1));
    depth_ = depth_of(CallTree::kRoot, scale, 0);
    boxes_.clear();
    place(CallTree::kRoot, kMargin, 0, scale);
    const double height = kTop + kLine * static_cast<double>(depth_ + 1) + kMargin;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"monospace\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"{2:.0f}\" y=\"22\" font-size=\"14\">{3}</text>\n{4}</svg>\n",
        kWidth + 2 * kMargin, height, kMargin, escaped(title_), boxes_);
  }

 private:
  double width_of(std::size_t node, double scale) const {
    return static_cast<double>(totals_[node]) * scale;
  }

  std::size_t depth_of(std::size_t node, double scale, std::size_t level) const {
    std::size_t deepest = level;
    for (const auto& [name, child] : tree_.node(node).children) {
      if (width_of(child, scale) >= kLeastWidth)
        deepest = std::max(deepest, depth_of(child, scale, level + 1));
    }
    return deepest;
  }

  void place(std::size_t node, double x, std::size_t level, double scale) {
    box(node, x, level, width_of(node, scale));
    for (const auto& [name, child] : tree_.node(node).children) {
      const double width = width_of(child, scale);
      if (width >= kLeastWidth) place(child, x, level + 1, scale);
      x += width;
    }
  }

  void box(std::size_t node, double x, std::size_t level, double width) {
    const double y = kTop + kLine * static_cast<double>(depth_ - level);
    const std::string name = node == CallTree::kRoot ? "all" : tree_.node(node).name;
    const double share = 100 * static_cast<double>(totals_[node]) /
                         static_cast<double>(std::max<std::uint64_t>(totals_[0], 1));
    std::string label = name;
    const auto most = static_cast<std::size_t>(std::max(0.0, (width - 6) / kCharacter));
    if (label.size() > most) label = most < 4 ? "" : label.substr(0, most - 2) + "..";
    boxes_ += fmt::format(
        "<g><title>{} ({} instructions, {:.2f} %)</title><rect x=\"{:.1f}\" y=\"{:.0f}\" "
        "width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.5\"/>",
        escaped(name), totals_[node], share, x, y, width, kLine - 1, colour_of(name));
    if (!label.empty())
      boxes_ +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>", x + 3, y + 12, escaped(label));
    boxes_ += "</g>\n";
  }

  const CallTree& tree_;
  const std::string title_;
  const std::vector<std::uint64_t> totals_;
  std::size_t depth_ = 0;
  std::string boxes_;
};

}  // namespace

std::string flame_graph(const CallTree& tree, const std::string& title) {
  return Picture(tree, title).draw();
}

}  // namespace tern::mgmt
