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
// Distinguishable in print and for most eyes (Okabe and Ito).
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73",
                                    "#CC79A7", "#E69F00", "#56B4E9"};

const char* colour(std::size_t i) {
  return kColours[i % std::size(kColours)];
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
  return bytes >= 1024 ? fmt::format("{:g} KiB", bytes / 1024) : fmt::format("{:g} B", bytes);
}

std::string text(double x, double y, const std::string& anchor, const std::string& content,
                 const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more.empty() ? "" : " " + more, xml_escaped(content));
}

std::string frame(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height);
}

// Horizontal lines with numbers from zero to `most`, inside a field whose top left corner is given.
std::string y_axis(double top, double height, double most, const std::string& label) {
  std::string out = text(kLeft - 60, top - 12, "start", label, "fill=\"#444\"");
  const double step = tick_step(most, 6);
  for (double v = 0; v <= most * 1.0001; v += step) {
    const double y = top + height * (1 - v / most);
    out += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        kLeft + kWidth, y, y);
    out += text(kLeft - 8, y + 4, "end", fmt::format("{:g}", v), "fill=\"#444\"");
  }
  return out;
}

std::string bar_chart(const BarChart& chart, double top) {
  double most = 1e-9;
  for (const auto& series : chart.series) {
    for (const double y : series.y) most = std::max(most, y);
  }
  most *= 1.1;
  std::string out = text(20, top - 34, "start", chart.title, "font-weight=\"bold\"");
  out += y_axis(top, kBarHeight, most, chart.y_label);
  const double group = kWidth / static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
  const double bar =
      group * 0.8 / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = kLeft + group * (static_cast<double>(g) + 0.1);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.series[s].y[g];
      const double height = kBarHeight * value / most;
      const double x = left + bar * static_cast<double>(s);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x,
          top + kBarHeight - height, bar * 0.92, height, colour(s));
      out += text(x + bar * 0.46, top + kBarHeight - height - 4, "middle",
                  fmt::format(value < 999.5 ? "{:.3g}" : "{:.0f}", value), "font-size=\"10\"");
    }
    out += text(left + group * 0.4, top + kBarHeight + 18, "middle", chart.groups[g]);
  }
  double x = kLeft;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    if (chart.series[s].name.empty()) continue;  // the title says it
    out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                       x, top + kBarHeight + 32, colour(s));
    out += text(x + 17, top + kBarHeight + 42, "start", chart.series[s].name);
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
  most *= 1.05;
  const auto along = [&](double x) { return chart.logarithmic ? std::log2(x / low) : x - low; };
  const double span = std::max(along(high), 1e-6 * std::max(1.0, std::abs(low)));
  const auto x_of = [&](double x) { return kLeft + kWidth * along(x) / span; };
  const auto y_of = [&](double y) { return kTop + kHeight * (1 - y / most); };
  const auto x_text = [&](double x) {
    return chart.logarithmic && chart.bytes ? power_text(x) : fmt::format("{:g}", x);
  };

  std::string out = frame(kLeft + kWidth + 190, kTop + kHeight + 60);
  out += text(20, 26, "start", chart.title, "font-size=\"16\" font-weight=\"bold\"");
  out += y_axis(kTop, kHeight, most, chart.y_label);
  const double step = tick_step(span, 8);
  for (double x = chart.logarithmic ? low : std::ceil(low / step) * step; x <= high + span * 1e-4;
       x = chart.logarithmic ? x * 2 : x + step) {
    out +=
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#eee\"/>\n",
                    x_of(x), kTop, kTop + kHeight);
    out += text(x_of(x), kTop + kHeight + 18, "middle", x_text(x), "fill=\"#444\"");
  }
  out += text(kLeft + kWidth / 2, kTop + kHeight + 42, "middle", chart.x_label, "fill=\"#444\"");
  for (const auto& level : chart.levels) {
    out += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" "
        "stroke-dasharray=\"6 4\"/>\n",
        kLeft, kLeft + kWidth, y_of(level.y), y_of(level.y));
    // Next to the field, unless the curves' names are there.
    out += chart.logarithmic
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
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      if (!dotted) continue;
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"><title>{}: {:.4g}</title>"
          "</circle>\n",
          x, y, colour(s), xml_escaped(x_text(series.x[i])), series.y[i]);
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       points, colour(s));
    out += dots;
    // Curves over steps often begin at the top left: their names are next to the field.
    const double x = chart.logarithmic ? kLeft + 14 : kLeft + kWidth + 14;
    const double y = kTop + 14 + 20 * static_cast<double>(s);
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                       y - 10, colour(s));
    out += text(x + 18, y, "start", series.name);
  }
  return out + "</svg>\n";
}

std::string bar_charts_svg(const std::vector<BarChart>& charts) {
  std::string out = frame(kLeft + kWidth + 40, 20 + kBarPitch * static_cast<double>(charts.size()));
  for (std::size_t i = 0; i < charts.size(); ++i)
    out += bar_chart(charts[i], kTop + kBarPitch * static_cast<double>(i));
  return out + "</svg>\n";
}

}  // namespace tern::app
