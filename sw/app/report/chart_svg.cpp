// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr double kLeft = 80, kTop = 64, kWidth = 780, kHeight = 360;
constexpr std::size_t kMaxDots = 60;  // points of a curve, else only its line
constexpr double kBarHeight = 200, kBarPitch = kBarHeight + 130;
constexpr double kNarrowBar = 18;  // has no room for its number
// Distinguishable in print and for most eyes (Okabe and Ito).
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73",
                                    "#CC79A7", "#E69F00", "#56B4E9"};

// Of a line, when all colours are in use.
constexpr const char* kDashes[] = {"", "7 4", "2 3", "10 3 2 3", "14 4"};
constexpr double kNamePitch = 20;  // from name to name of curves

const char* colour(std::size_t i) {
  return kColours[i % std::size(kColours)];
}

std::string dash(std::size_t i) {
  const std::string dashes = kDashes[i / std::size(kColours) % std::size(kDashes)];
  return dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

// 1, 2, 5, 10 times a power of ten: about `ticks` steps up to `most`.
double tick_step(double most, double ticks) {
  const double least = std::max(most / ticks, 1e-9);
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step < least) step *= factor;
  }
  return step;
}

std::string power_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

std::string text(double x, double y, const std::string& anchor, const std::string& content,
                 const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more.empty() ? "" : " " + more, xml_escaped(content));
}

// Curves over steps often begin at the top left: their names are next to the field. So are many.
bool names_beside(const LineChart& chart) {
  return !chart.logarithmic || chart.series.size() > std::size(kColours);
}

std::string frame(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height);
}

// A horizontal line with its number.
std::string y_tick(double y, double value) {
  return fmt::format(
             "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
             kLeft, kLeft + kWidth, y, y) +
         text(kLeft - 8, y + 4, "end", fmt::format("{:g}", value), "fill=\"#444\"");
}

// From `least` to `most`, inside a field whose top left corner is given.
std::string y_axis(double top, double height, double least, double most, const std::string& label) {
  std::string out = text(kLeft - 60, top - 12, "start", label, "fill=\"#444\"");
  const double step = tick_step(most - least, 6);
  for (double v = std::ceil(least / step - 1e-6) * step + 0.0; v <= most * 1.0001; v += step)
    out += y_tick(top + height * (most - v) / (most - least), v);
  return out;
}

std::string x_tick(double x, const std::string& label) {
  return fmt::format(
             "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#eee\"/>\n", x,
             kTop, kTop + kHeight) +
         text(x, kTop + kHeight + 18, "middle", label, "fill=\"#444\"");
}

constexpr double kCharacter = 6.8;         // width, about
constexpr std::size_t kLongestLabel = 24;  // of a slanted one
constexpr double kRoomForName = 120;       // of a group
constexpr double kSlantedHeight = 80;      // that they take below the field

double group_width(const BarChart& chart) {
  return kWidth / static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
}

// Where many groups have long names. Few have room to cut them.
bool slanted(const BarChart& chart) {
  const double width = group_width(chart);
  return width < kRoomForName &&
         std::any_of(chart.groups.begin(), chart.groups.end(), [&](const std::string& label) {
           return kCharacter * static_cast<double>(display_width(label)) > width;
         });
}

// The whole text where it is pointed at.
std::string group_label(double x, double y, const std::string& label, bool slant, double width) {
  const std::string whole = printable(label);
  const std::size_t most =
      slant ? kLongestLabel : static_cast<std::size_t>(std::max(2.0, width / kCharacter));
  std::string cut;
  for (std::size_t i = 0, shown = 0; i < whole.size(); ++i) {
    const bool first = (static_cast<unsigned char>(whole[i]) & 0xC0) != 0x80;
    if (first && ++shown > most) break;
    cut += whole[i];
  }
  if (cut.size() < whole.size()) cut += "\xE2\x80\xA6";  // ...
  const std::string turn = fmt::format("transform=\"rotate(-32 {:.1f} {:.1f})\"", x, y);
  std::string shown = text(x, y, slant ? "end" : "middle", cut, slant ? turn : "");
  if (cut == whole) return shown;
  return fmt::format("<g><title>{}</title>{}</g>\n", xml_escaped(whole), shown);
}

// Where the values begin: zero, or a round number below those that are close to each other. The
// first tenth of the curves does not count.
double axis_begin(const LineChart& chart, double low, double high, double most) {
  if (chart.from_zero) return 0;
  double least = most;
  for (const auto& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (std::isfinite(series.y[i]) && series.x[i] >= low + (high - low) / 10)
        least = std::min(least, series.y[i]);
    }
  }
  for (const auto& level : chart.levels) least = std::min(least, level.y);
  if (least < most / 2) return 0;
  const double step = tick_step(std::max(most - least, most * 1e-3), 4);
  const double begin = std::floor(least / step) * step;
  return std::max(0.0, begin < most - step / 2 ? begin : begin - step);
}

std::string bar_chart(const BarChart& chart, double top) {
  double most = 1e-9;
  for (const auto& series : chart.series) {
    for (const double y : series.y) most = std::max(most, y);
  }
  most *= 1.1;
  std::string out = text(20, top - 34, "start", chart.title, "font-weight=\"bold\"");
  out += y_axis(top, kBarHeight, 0, most, chart.y_label);
  const double group = group_width(chart);
  const double bar =
      group * 0.8 / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  const bool slant = slanted(chart);
  const double below = top + kBarHeight + 18;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = kLeft + group * (static_cast<double>(g) + 0.1);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].y[g];
      if (!std::isfinite(value)) continue;  // no bar
      const double height = kBarHeight * value / most;
      const double x = left + bar * static_cast<double>(s);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x,
          top + kBarHeight - height, bar * 0.92, height, colour(s));
      if (bar >= kNarrowBar) {
        out += text(x + bar * 0.46, top + kBarHeight - height - 4, "middle",
                    fmt::format(value < 999.5 ? "{:.3g}" : "{:.0f}", value), "font-size=\"10\"");
      }
    }
    out += group_label(left + group * 0.4 + (slant ? 6 : 0), below, chart.groups[g], slant, group);
  }
  double x = kLeft;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (chart.series[s].name.empty()) continue;  // the title says it
    out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                       x, below + (slant ? kSlantedHeight : 0) + 14, colour(s));
    out += text(x + 17, below + (slant ? kSlantedHeight : 0) + 24, "start", chart.series[s].name);
    x += 40 + 7.0 * static_cast<double>(chart.series[s].name.size());
  }
  return out;
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  double low = 1e300, high = -1e300, most = 1e-9;
  for (const auto& series : chart.series) {
    for (const double x : series.x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
    for (const double y : series.y) {
      if (std::isfinite(y)) most = std::max(most, y);
    }
  }
  if (low > high) low = high = 1;  // no points at all
  for (const auto& level : chart.levels) most = std::max(most, level.y);
  const double least = axis_begin(chart, low, high, most);
  most += (most - least) * 0.05;
  const auto along = [&](double x) { return chart.logarithmic ? std::log2(x / low) : x - low; };
  const double span = std::max(along(high), 1e-6 * std::max(1.0, std::abs(low)));
  const auto x_of = [&](double x) { return kLeft + kWidth * along(x) / span; };
  const auto y_of = [&](double y) { return kTop + kHeight * (most - y) / (most - least); };
  const auto x_text = [&](double x) {
    return chart.logarithmic && chart.bytes ? power_text(x) : fmt::format("{:g}", x);
  };

  const bool beside = names_beside(chart);
  double right = 190, bottom = kHeight + 60;
  for (const auto& series : chart.series) {
    if (beside)
      right = std::max(right, 56 + kCharacter * static_cast<double>(display_width(series.name)));
  }
  if (beside)
    bottom = std::max(bottom, 14 + kNamePitch * static_cast<double>(chart.series.size() + 1));
  std::string out = frame(kLeft + kWidth + right, kTop + bottom);
  out += text(20, 26, "start", chart.title, "font-size=\"16\" font-weight=\"bold\"");
  out += y_axis(kTop, kHeight, least, most, chart.y_label);
  if (least > 0)
    out += text(kLeft, kTop + kHeight + 42, "start", fmt::format("values from {:g}", least),
                "fill=\"#666\"");
  const double step = tick_step(span, 8);
  constexpr double kMostDoublings = 12;  // whose texts fit side by side
  const double factor = std::exp2(std::ceil(span / kMostDoublings));
  for (double x = chart.logarithmic ? low : std::ceil(low / step) * step; x <= high + span * 1e-4;
       x = chart.logarithmic ? x * factor : x + step) {
    out += x_tick(x_of(x), x_text(x));
  }
  out += text(kLeft + kWidth / 2, kTop + kHeight + 42, "middle", chart.x_label, "fill=\"#444\"");
  for (const auto& level : chart.levels) {
    out += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" "
        "stroke-dasharray=\"6 4\"/>\n",
        kLeft, kLeft + kWidth, y_of(level.y), y_of(level.y));
    // Next to the field, unless the curves' names are there.
    out += !beside
               ? text(kLeft + kWidth + 6, y_of(level.y) + 4, "start", level.name, "fill=\"#666\"")
               : text(kLeft + kWidth - 6, y_of(level.y) + 16, "end", level.name, "fill=\"#666\"");
  }
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const auto& series = chart.series[s];
    std::string points, dots;
    const bool dotted = series.x.size() <= kMaxDots;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      const double x = x_of(series.x[i]), y = y_of(series.y[i]);
      // Where the curve comes into the field, or leaves it.
      if (i > 0 && std::isfinite(series.y[i - 1]) &&
          (series.y[i] < least) != (series.y[i - 1] < least)) {
        const double part = (least - series.y[i - 1]) / (series.y[i] - series.y[i - 1]);
        const double from = x_of(series.x[i - 1]);
        points += fmt::format("{:.1f},{:.1f} ", from + (x - from) * part, y_of(least));
      }
      if (series.y[i] < least) continue;
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      if (!dotted) continue;
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}: {:.4g}</title>"
          "</circle>\n",
          x, y, colour(s), xml_escaped(x_text(series.x[i])), series.y[i]);
    }
    const std::string pen = fmt::format("stroke=\"{}\" stroke-width=\"2\"{}", colour(s), dash(s));
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, pen);
    out += dots;
    const double x = beside ? kLeft + kWidth + 14 : kLeft + 14;
    const double y = kTop + 14 + kNamePitch * static_cast<double>(s);
    out += chart.series.size() > std::size(kColours)
               ? fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" {}/>\n", x, x + 26,
                             y - 4, y - 4, pen)
               : fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                             x, y - 10, colour(s));
    out += text(x + (chart.series.size() > std::size(kColours) ? 32 : 18), y, "start", series.name);
  }
  return out + "</svg>\n";
}

std::string scatter_chart_svg(const ScatterChart& chart) {
  double most = 1e-9, low = 1e300, high = 0;
  for (const auto& p : chart.points) {
    most = std::max(most, p.x);
    if (p.y > 0) low = std::min(low, p.y);
    high = std::max(high, p.y);
  }
  if (high <= 0) low = high = 1;
  most *= 1.15;  // for the names
  const double from = std::floor(std::log10(low)),
               to = std::max(from + 1, std::ceil(std::log10(high)));
  const auto x_of = [&](double x) { return kLeft + kWidth * x / most; };
  // None at all is the bottom.
  const auto y_of = [&](double y) {
    return kTop + kHeight * (to - (y > 0 ? std::log10(y) : from)) / (to - from);
  };
  std::string out = frame(kLeft + kWidth + 40, kTop + kHeight + 60);
  out += text(20, 26, "start", chart.title, "font-size=\"16\" font-weight=\"bold\"");
  out += text(kLeft - 60, kTop - 12, "start", chart.y_label, "fill=\"#444\"");
  for (double power = from; power <= to; ++power)
    out += y_tick(y_of(std::pow(10.0, power)), std::pow(10.0, power));
  const double step = tick_step(most, 8);
  for (double x = 0; x <= most; x += step) out += x_tick(x_of(x), fmt::format("{:g}", x));
  out += text(kLeft + kWidth / 2, kTop + kHeight + 42, "middle", chart.x_label, "fill=\"#444\"");
  // A name is beside its point, or a line or more up or down, where no other name or point is.
  struct Box {
    double left, right, y;
  };
  std::vector<Box> taken;
  for (const auto& p : chart.points) taken.push_back({x_of(p.x) - 6, x_of(p.x) + 6, y_of(p.y)});
  std::string names;
  for (const auto& p : chart.points) {
    const double x = x_of(p.x), y = y_of(p.y);
    const double width = kCharacter * static_cast<double>(display_width(p.name));
    Box best{x + 10, x + 10 + width, y};
    const auto is_free = [&](const Box& box) {
      return box.y > kTop && box.y < kTop + kHeight + 6 && box.left > kLeft &&
             box.right < kLeft + kWidth + 40 &&
             std::none_of(taken.begin(), taken.end(), [&](const Box& other) {
               return std::abs(other.y - box.y) < 13 && box.left < other.right &&
                      other.left < box.right;
             });
    };
    for (int n = 0; n < 60; ++n) {  // right, left; then a line up, a line down, ...
      const int line = (n / 2 + 1) / 2 * (n / 2 % 2 == 0 ? -1 : 1);
      const double left = n % 2 == 0 ? x + 10 : x - 10 - width;
      const Box box{left, left + width, y + 13.0 * line};
      if (!is_free(box)) continue;
      best = box;
      break;
    }
    taken.push_back(best);
    if (std::abs(best.y - y) > 1) {
      names += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" "
          "stroke-width=\"0.7\"/>\n",
          x, y, best.left > x ? best.left - 1 : best.right + 1, best.y);
    }
    const bool right = best.left > x;
    names += text(right ? best.left : best.right, best.y + 4, right ? "start" : "end", p.name);
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"><title>{}: {:.4g}, {:.4g}</title>"
        "</circle>\n",
        x, y, colour(0), xml_escaped(p.name), p.x, p.y);
  }
  out += names;
  return out + "</svg>\n";
}

std::string bar_charts_svg(const std::vector<BarChart>& charts) {
  std::string out;
  double top = kTop;
  for (const BarChart& chart : charts) {
    out += bar_chart(chart, top);
    top += kBarPitch + (slanted(chart) ? kSlantedHeight : 0);
  }
  return frame(kLeft + kWidth + 40, top - kTop + 20) + out + "</svg>\n";
}

}  // namespace tern::app
