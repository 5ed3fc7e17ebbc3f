// SPDX-License-Identifier: Apache-2.0
#include "sw/app/system/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

using namespace tern::system;  // NOLINT(google-build-using-namespace)

struct Point {
  double x = 0, y = 0;
};

constexpr double kChip = 26, kGap = 6, kTrayHeight = 40, kTop = 64, kLeft = 24;
constexpr double kPlaneWidth = 120, kSwitchHeight = 16, kBetween = 60;

const char* colour_of(Medium medium) {
  static constexpr const char* kColours[] = {"#7a7a7a", "#2b6cb0", "#c05621", "#6b46c1"};
  return kColours[static_cast<unsigned>(medium)];
}

constexpr const char* kDeadColour = "#808080";
constexpr const char* kDashes = R"( stroke-dasharray="3 2")";

// 0 blue, 1 red.
std::string heat_colour(double use) {
  const double share = std::clamp(use, 0.0, 1.0);
  const auto between = [&](unsigned from, unsigned to) {
    return std::lround(from + share * (static_cast<double>(to) - from));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", between(43, 214), between(108, 30), between(176, 30));
}

// Where every node is.
class Layout {
 public:
  explicit Layout(const Fabric& fabric) : at_(fabric.nodes().size()) {
    const SystemConfig& c = fabric.config();
    tray_width_ = c.chips_per_tray * (kChip + kGap) + kGap;
    // Switches of a plane: over the whole height of the trays, at least.
    if (c.rack_switches)
      pitch_ = std::max(pitch_, c.trays * kTrayHeight / c.rack_switches->switches);
    if (c.tray_switches) tray_width_ += 44;
    const unsigned planes = c.rack_switches ? c.rack_switches->planes : 0;
    group_width_ =
        tray_width_ + 30 + (planes > 0 ? kPlaneWidth + (planes - 1) * 70.0 : 0) + kBetween;
    for (std::uint32_t n = 0; n < at_.size(); ++n) at_[n] = place(fabric.nodes()[n]);
    double switches = 0;
    if (c.rack_switches) switches = c.rack_switches->switches * pitch_;
    height_ = kTop + std::max(c.trays * kTrayHeight, switches) + 56;
    // Groups of a ring of many stand in rows.
    columns_ = std::min(c.groups, 4u);
    const unsigned rows = (c.groups + columns_ - 1) / columns_;
    unit_height_ = rows * height_;
    width_ = kLeft + columns_ * group_width_;
    total_height_ = c.scale_out.units * unit_height_ + 40;
    const unsigned leaves = fabric.count(NodeKind::kLeafSwitch);
    for (std::uint32_t n = 0; n < at_.size(); ++n) {
      const Node& node = fabric.nodes()[n];
      if (node.kind == NodeKind::kLeafSwitch || node.kind == NodeKind::kSpine) {
        const bool leaf = node.kind == NodeKind::kLeafSwitch;
        at_[n] = {
            width_ + (leaf ? 40 : 160),
            leaf ? kTop + (node.place + 0.5) * (total_height_ - 100) / leaves : total_height_ / 2};
        continue;
      }
      at_[n].x += node.group % columns_ * group_width_;
      at_[n].y += row_of(node.group) * height_ + node.unit * unit_height_;
    }
    if (leaves > 0) width_ += 220;
  }

  Point at(std::uint32_t node) const { return at_[node]; }
  double width() const { return std::max(width_, 620.0); }
  double height() const { return total_height_; }
  double tray_width() const { return tray_width_; }
  double group_width() const { return group_width_; }
  Point tray(unsigned unit, unsigned group, unsigned tray) const {
    return {kLeft + group % columns_ * group_width_,
            kTop + tray * kTrayHeight + row_of(group) * height_ + unit * unit_height_};
  }
  Point group(unsigned unit, unsigned group) const {
    return {kLeft + group % columns_ * group_width_,
            kTop - 10 + row_of(group) * height_ + unit * unit_height_};
  }

 private:
  unsigned row_of(unsigned group) const { return group / columns_; }
  Point place(const Node& node) const {
    const double y = kTop + node.tray * kTrayHeight + (kTrayHeight - 6) / 2;
    if (node.kind == NodeKind::kChip)
      return {kLeft + kGap + node.place * (kChip + kGap) + kChip / 2, y};
    constexpr unsigned kInRow = 4;
    const unsigned row = node.place / kInRow;
    if (node.kind == NodeKind::kTraySwitch)
      return {kLeft + tray_width_ - 38 + node.place % kInRow * 9.0, y - 5 + row * 10.0};
    return {kLeft + tray_width_ + 80 + node.plane * 70.0, kTop + (node.place + 0.5) * pitch_};
  }

  std::vector<Point> at_;
  double pitch_ = kSwitchHeight + 8;
  double tray_width_ = 0, group_width_ = 0, height_ = 0, unit_height_ = 0;
  double width_ = 0, total_height_ = 0;
  unsigned columns_ = 1;
};

class Picture {
 public:
  explicit Picture(const Fabric& fabric, const std::vector<LinkHeat>* heat = nullptr,
                   std::string note = "")
      : fabric_(fabric), heat_(heat), note_(std::move(note)), layout_(fabric) {}

  std::string text() {
    const SystemConfig& c = fabric_.config();
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="10">)",
        layout_.width(), layout_.height());
    add(R"(<rect width="100%" height="100%" fill="#fff"/>)");
    const unsigned units = c.scale_out.units;
    add(R"(<text x="24" y="22" font-size="15" font-weight="bold">{}{}</text>)",
        units > 1 ? fmt::format("{} x ", units) : "", xml_escaped(c.title));
    if (!note_.empty())
      add(R"(<text x="24" y="38" font-size="11" fill="#444">{}</text>)", xml_escaped(note_));
    trays();
    links();
    nodes();
    legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <typename... T>
  void add(const char* format, T&&... values) {
    out_ += fmt::format(fmt::runtime(format), std::forward<T>(values)...);
    out_ += '\n';
  }

  void trays() {
    const SystemConfig& c = fabric_.config();
    const unsigned units = c.scale_out.units;
    for (unsigned i = 0; i < units * c.groups; ++i) {
      const unsigned u = i / c.groups, g = i % c.groups;
      const Point head = layout_.group(u, g);
      add(R"(<text x="{:.0f}" y="{:.0f}" fill="#444">{}{} {}</text>)", head.x, head.y,
          units > 1 ? fmt::format("unit {}, ", u) : "", c.group, g);
      for (unsigned t = 0; t < c.trays; ++t) {
        const Point at = layout_.tray(u, g, t);
        add(R"(<rect x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" rx="4" fill="#F2F2F2" stroke="#cbd5e0"/>)",
            at.x, at.y, layout_.tray_width(), kTrayHeight - 6);
      }
    }
  }

  // Between one pair of places a line for all its links.
  void links() {
    struct Seen {
      unsigned lanes = 0;
      Medium medium = Medium::kPcb;
      double use = 0;     // of the busiest
      unsigned dead = 0;  // of the links
      unsigned links = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Seen> lines;
    for (std::size_t number = 0; number < fabric_.links().size(); ++number) {
      const Link& link = fabric_.links()[number];
      Seen& seen = lines[{std::min(link.a, link.b), std::max(link.a, link.b)}];
      seen.lanes += link.lanes;
      seen.medium = link.medium;
      ++seen.links;
      if (heat_ == nullptr) continue;
      seen.use = std::max(seen.use, (*heat_)[number].use);
      seen.dead += (*heat_)[number].dead ? 1 : 0;
    }
    for (const auto& [ends, seen] : lines) {
      const Point a = layout_.at(ends.first), b = layout_.at(ends.second);
      const double width = seen.lanes >= 32 ? 1.6 : 0.8;
      const bool crowded = seen.medium == Medium::kBackplane && lines.size() > 600;
      const double opacity = seen.medium == Medium::kPcb ? 0.8 : crowded ? 0.12 : 0.45;
      // Neighbours in a row or column touch; others bend around what is between them.
      const double bend = (b.x - a.x) * 0.12 + (b.y - a.y) * 0.18;
      // Over other groups, in the gap between their trays: the way back of a ring.
      const bool over = a.y == b.y && std::abs(b.x - a.x) > 1.5 * layout_.group_width();
      const double lift = over ? kTrayHeight : bend / 3;
      add(R"(<path d="M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}" fill="none" stroke="{}" stroke-width="{}" stroke-opacity="{:.3g}"{}/>)",
          a.x, a.y, (a.x + b.x) / 2 + bend, (a.y + b.y) / 2 - lift, b.x, b.y,
          heat_ == nullptr          ? colour_of(seen.medium)
          : seen.dead == seen.links ? kDeadColour
                                    : heat_colour(seen.use),
          width,
          heat_ == nullptr          ? opacity
          : seen.dead == seen.links ? 0.9
                                    : 0.25 + 0.6 * seen.use,
          seen.dead == 0 ? "" : kDashes);
    }
  }

  void nodes() {
    for (std::uint32_t n = 0; n < fabric_.nodes().size(); ++n) {
      const Node& node = fabric_.nodes()[n];
      const Point at = layout_.at(n);
      double width = kChip, height = kChip - 4;
      const char* fill = "#e2f0d9";
      if (node.kind == NodeKind::kTraySwitch) {
        width = height = 7;
        fill = "#fbd38d";
      } else if (node.kind != NodeKind::kChip) {
        width = 44;
        height = kSwitchHeight;
        fill = "#bee3f8";
      }
      add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.0f}" height="{:.0f}" rx="3" fill="{}" stroke="#4a5568" stroke-width="0.6"><title>{}</title></rect>)",
          at.x - width / 2, at.y - height / 2, width, height, fill, xml_escaped(node.name));
      if (node.kind == NodeKind::kChip)
        add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" font-size="9" fill="#000">{}</text>)",
            at.x, at.y + 3, n);
      if (node.kind == NodeKind::kRackSwitch)
        add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" font-size="9" fill="#000">p{} s{}</text>)",
            at.x, at.y + 3, node.plane, node.place);
      if (node.kind == NodeKind::kLeafSwitch || node.kind == NodeKind::kSpine)
        add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" font-size="9" fill="#000">{}</text>)",
            at.x, at.y + 3, node.name);
    }
  }

  void legend() {
    double x = kLeft;
    const double y = layout_.height() - 18;
    if (heat_ != nullptr) {
      constexpr unsigned kSteps = 10;
      add(R"(<text x="{:.0f}" y="{:.0f}">use of the links: 0 %</text>)", x, y);
      x += 115;
      for (unsigned step = 0; step <= kSteps; ++step, x += 12) {
        add(R"(<rect x="{:.0f}" y="{:.0f}" width="12" height="10" fill="{}"/>)", x, y - 8,
            heat_colour(static_cast<double>(step) / kSteps));
      }
      add(R"(<text x="{:.0f}" y="{:.0f}">100 %</text>)", x + 6, y);
      const auto dead = std::count_if(heat_->begin(), heat_->end(),
                                      [](const LinkHeat& link) { return link.dead; });
      if (dead == 0) return;
      x += 70;
      add(R"(<line x1="{0:.0f}" y1="{2:.0f}" x2="{1:.0f}" y2="{2:.0f}" stroke="{3}" stroke-width="2"{4}/>)",
          x, x + 24, y - 3, kDeadColour, kDashes);
      add(R"(<text x="{:.0f}" y="{:.0f}">dead links: {}</text>)", x + 30, y, dead);
      return;
    }
    for (const Medium medium : {Medium::kPcb, Medium::kBackplane, Medium::kAec, Medium::kNetwork}) {
      const auto count = std::count_if(fabric_.links().begin(), fabric_.links().end(),
                                       [&](const Link& link) { return link.medium == medium; });
      if (count == 0) continue;
      add(R"(<line x1="{0:.0f}" y1="{2:.0f}" x2="{1:.0f}" y2="{2:.0f}" stroke="{3}" stroke-width="2"/>)",
          x, x + 24, y - 3, colour_of(medium));
      add(R"(<text x="{:.0f}" y="{:.0f}">{}: {} links</text>)", x + 30, y, medium_name(medium),
          count);
      x += 170;
    }
  }

  const Fabric& fabric_;
  const std::vector<LinkHeat>* const heat_;  // by link; null: colours by medium
  const std::string note_;
  const Layout layout_;
  std::string out_;
};

}  // namespace

std::string drawing_of(const system::Fabric& fabric) {
  return Picture(fabric).text();
}

std::string heat_map_of(const system::Fabric& fabric, const std::vector<LinkHeat>& links,
                        const std::string& note) {
  return Picture(fabric, &links, note).text();
}

}  // namespace tern::app
