// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using trace::SpanLog;

constexpr unsigned kLeft = 130, kWidth = 1050, kLaneHeight = 30, kLanePitch = 40, kTop = 84;
constexpr double kWindowMicroseconds = 6.0;  // shown in the lower half

struct Interval {
  std::uint64_t begin, end;
  std::uint32_t name;
};

struct LaneView {
  std::string label;
  std::vector<Interval> spans;   // inside the program, by begin
  std::vector<Interval> merged;  // the time covered by them
};

// Colours that are distinguishable in print and for most eyes (Okabe and Ito), then lighter ones.
// Frequent names have a fixed one, the same in every picture.
struct NamedColour {
  const char *name, *colour;
};
constexpr NamedColour kNamedColours[] = {{"multiply_moving", "#0072B2"},
                                         {"transpose", "#56B4E9"},
                                         {"activate2", "#E69F00"},
                                         {"activation", "#B8860B"},
                                         {"exponential", "#D55E00"},
                                         {"tensor_copy", "#009E73"},
                                         {"tensor_tensor", "#CC79A7"},
                                         {"tensor_scalar", "#8C6BB1"},
                                         {"scalar_tensor_tensor", "#AA4499"},
                                         {"tensor_reduce", "#999933"},
                                         {"dma_trigger", "#777777"},
                                         {"ring 0", "#44AA99"},
                                         {"ring 1", "#882255"},
                                         {"load_stationary", "#A6CEE3"},
                                         {"nop", "#BBBBBB"}};
constexpr const char* kOtherColours[] = {"#1B9E77", "#7570B3", "#E7298A",
                                         "#66A61E", "#A6761D", "#666666"};

// Black or white, whichever stands out more: at least 4.5 to 1 on any colour.
const char* text_on(const char* colour) {
  const auto light = [colour](unsigned i) {
    const std::string hex(colour + 1 + i * 2, 2);
    const double part = static_cast<double>(std::stoul(hex, nullptr, 16)) / 255;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * light(0) + 0.7152 * light(1) + 0.0722 * light(2);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? "#fff" : "#000";
}

// By index of a name; the others by decreasing time.
std::vector<const char*> colours_of(const std::vector<std::string>& names,
                                    const std::vector<std::size_t>& order) {
  std::vector<const char*> colours(names.size(), nullptr);
  std::size_t other = 0;
  for (const std::size_t index : order) {
    for (const NamedColour& named : kNamedColours) {
      if (names[index] == named.name) colours[index] = named.colour;
    }
    if (colours[index] == nullptr) {
      colours[index] = kOtherColours[std::min(other, std::size(kOtherColours) - 1)];
      ++other;
    }
  }
  return colours;
}

LaneView lane_view(const SpanLog& log, const std::string& label, const TimelinePicture& picture) {
  LaneView view;
  view.label = label;
  for (const auto& [thread, lane] : log.lanes()) {
    const bool wanted = label == "DMA" ? thread.rfind("dma", 0) == 0 : thread == label;
    if (!wanted) continue;
    for (const SpanLog::Entry& entry : lane) {
      const std::uint64_t begin = std::max(entry.begin_fs, picture.begin_fs);
      const std::uint64_t end = std::min(entry.end_fs(), picture.end_fs);
      if (begin < end) view.spans.push_back({begin, end, entry.name});
    }
  }
  std::sort(view.spans.begin(), view.spans.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (const Interval& span : view.spans) {
    if (!view.merged.empty() && span.begin <= view.merged.back().end) {
      view.merged.back().end = std::max(view.merged.back().end, span.end);
    } else {
      view.merged.push_back(span);
    }
  }
  return view;
}

// Part of every column of the strip that is covered.
std::vector<double> coverage(const LaneView& lane, const TimelinePicture& picture,
                             unsigned columns) {
  std::vector<double> part(columns, 0.0);
  const double column = static_cast<double>(picture.end_fs - picture.begin_fs) / columns;
  for (const Interval& span : lane.merged) {
    const double begin = static_cast<double>(span.begin - picture.begin_fs) / column;
    const double end = static_cast<double>(span.end - picture.begin_fs) / column;
    for (auto c = static_cast<std::size_t>(begin); c < columns && static_cast<double>(c) < end;
         ++c) {
      part[c] +=
          std::min(end, static_cast<double>(c) + 1) - std::max(begin, static_cast<double>(c));
    }
  }
  return part;
}

// Inside the window of the picture.
double busy_share(const LaneView& lane, const TimelinePicture& picture) {
  std::uint64_t busy = 0;
  for (const Interval& span : lane.merged) {
    const std::uint64_t begin = std::max(span.begin, picture.begin_fs);
    const std::uint64_t end = std::min(span.end, picture.end_fs);
    if (begin < end) busy += end - begin;
  }
  return static_cast<double>(busy) / static_cast<double>(picture.end_fs - picture.begin_fs);
}

std::string label_text(unsigned y, const std::string& label, const std::string& second) {
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#666\" font-size=\"11\">{}</text>\n",
      kLeft - 12, y + 13, label, kLeft - 12, y + 27, second);
}

// Ticks at round numbers of microseconds.
std::string time_axis(unsigned y, double begin_us, double end_us) {
  constexpr double kTicks = 8;
  const double least = std::max((end_us - begin_us) / kTicks, 1e-6);
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 1, 2, 5, 10 times a power of ten
    if (step < least) step *= factor;
  }
  std::string out;
  for (auto tick = static_cast<long>(std::ceil(begin_us / step)); step * tick <= end_us; ++tick) {
    const double x = kLeft + kWidth * (step * tick - begin_us) / (end_us - begin_us);
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#999\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\" font-size=\"11\" "
        "fill=\"#444\">{4:.4g}"
        "</text>\n",
        x, y, y + 5, y + 18, step * tick);
  }
  return out + fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#444\">us</text>\n",
                           kLeft + kWidth + 12, y + 18);
}

std::string strip(const LaneView& lane, const TimelinePicture& picture, unsigned y) {
  std::string out = label_text(
      y, lane.label,
      fmt::format("{:.1f} % {}", 100 * busy_share(lane, picture), lane_word(lane.label)));
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#F2F2F2\"/>\n",
                     kLeft, y, kWidth, kLaneHeight);
  const std::vector<double> part = coverage(lane, picture, kWidth);
  for (unsigned c = 0; c < kWidth;) {  // equal neighbours are one bar
    const long height = std::lround(part[c] * kLaneHeight);
    unsigned end = c + 1;
    while (end < kWidth && std::lround(part[end] * kLaneHeight) == height) ++end;
    if (height > 0) {
      out +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#0072B2\"/>\n",
                      kLeft + c, y + kLaneHeight - static_cast<unsigned>(height), end - c, height);
    }
    c = end;
  }
  return out;
}

// Spans of one name that follow one another, drawn as one: those that overlap, as transfers of
// several engines do, and those that are too short to be told apart.
struct Bar {
  double x, end;
  std::uint32_t name;
  std::uint64_t length_fs;
  unsigned spans;
};

std::vector<Bar> bars_of(const LaneView& lane, const TimelinePicture& window) {
  constexpr double kShort = 1.5, kApart = 0.3;  // pixels
  const double scale = kWidth / static_cast<double>(window.end_fs - window.begin_fs);
  std::vector<Bar> bars;
  for (const Interval& span : lane.spans) {
    const std::uint64_t begin = std::max(span.begin, window.begin_fs);
    const std::uint64_t end = std::min(span.end, window.end_fs);
    if (begin >= end) continue;
    const double x = static_cast<double>(begin - window.begin_fs) * scale;
    const Bar bar{x, static_cast<double>(end - window.begin_fs) * scale, span.name,
                  span.end - span.begin, 1};
    if (!bars.empty() && bars.back().name == span.name) {
      Bar& last = bars.back();
      const bool tiny = bar.end - bar.x < kShort && x < last.end + kApart;
      if (x < last.end || tiny) {
        last.end = std::max(last.end, bar.end);
        last.length_fs += bar.length_fs;
        ++last.spans;
        continue;
      }
    }
    bars.push_back(bar);
  }
  return bars;
}

// The instructions inside a window, with names where they fit.
std::string window_lane(const LaneView& lane, const SpanLog& log, const TimelinePicture& window,
                        const std::vector<const char*>& colour_of, unsigned y) {
  std::string out =
      label_text(y, lane.label, fmt::format("{:.1f} % here", 100 * busy_share(lane, window)));
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#F2F2F2\"/>\n",
                     kLeft, y, kWidth, kLaneHeight);
  for (const Bar& bar : bars_of(lane, window)) {
    const std::string& name = log.names()[bar.name];
    const double ns = static_cast<double>(bar.length_fs) * 1e-6;
    const std::string title = bar.spans == 1
                                  ? fmt::format("{} {:.1f} ns", xml_escaped(name), ns)
                                  : fmt::format("{}, {} spans of {:.1f} ns", xml_escaped(name),
                                                bar.spans, ns / bar.spans);
    out += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" stroke=\"#fff\" "
        "stroke-width=\"0.5\"><title>{}</title></rect>\n",
        kLeft + bar.x, y, bar.end - bar.x, kLaneHeight, colour_of[bar.name], title);
    if (bar.end - bar.x > 7.0 * static_cast<double>(name.size())) {
      out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" font-size=\"10\" fill=\"{}\">{}</text>\n",
                         kLeft + bar.x + 3, y + kLaneHeight / 2 + 4, text_on(colour_of[bar.name]),
                         xml_escaped(name));
    }
  }
  return out;
}

constexpr std::array<const char*, 6> kLanes = {"tensor", "vector", "scalar",
                                               "gpsimd", "sync",   "DMA"};

}  // namespace

const char* lane_word(const std::string& label) {
  return label == "DMA" ? "in flight" : "busy";
}

std::vector<TimelineLane> timeline_lanes(const SpanLog& log, const TimelinePicture& picture,
                                         unsigned columns) {
  std::vector<TimelineLane> lanes;
  for (const char* label : kLanes) {
    const LaneView view = lane_view(log, label, picture);
    lanes.push_back({label, busy_share(view, picture), coverage(view, picture, columns)});
  }
  return lanes;
}

std::string timeline_svg(const SpanLog& log, const TimelinePicture& picture) {
  std::vector<LaneView> lanes;
  lanes.reserve(std::size(kLanes));
  for (const char* label : kLanes) lanes.push_back(lane_view(log, label, picture));

  const auto microseconds = [](std::uint64_t fs) { return static_cast<double>(fs) * 1e-9; };
  const double length = microseconds(picture.end_fs - picture.begin_fs);
  TimelinePicture window = picture;
  const auto part = static_cast<std::uint64_t>(std::min(length, kWindowMicroseconds) * 1e9);
  window.begin_fs = picture.begin_fs + (picture.end_fs - picture.begin_fs - part) / 2;
  window.end_fs = window.begin_fs + part;

  // Names in the window by decreasing time.
  std::vector<std::uint64_t> time_of(log.names().size(), 0);
  for (const LaneView& lane : lanes) {
    for (const Interval& span : lane.spans) {
      const std::uint64_t begin = std::max(span.begin, window.begin_fs);
      const std::uint64_t end = std::min(span.end, window.end_fs);
      if (begin < end) time_of[span.name] += end - begin;
    }
  }
  std::vector<std::size_t> order(time_of.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return time_of[a] > time_of[b]; });
  const std::vector<const char*> colour_of = colours_of(log.names(), order);

  const auto count = static_cast<unsigned>(lanes.size());
  const unsigned lower = kTop + count * kLanePitch + 80;
  const unsigned legend = lower + count * kLanePitch + 44, height = legend + 44;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#fff\"/>\n",
      kLeft + kWidth + 40, height);
  out += fmt::format("<text x=\"{}\" y=\"30\" font-size=\"17\" font-weight=\"bold\">{}</text>\n",
                     20, xml_escaped(picture.title));
  out += fmt::format(
      "<text x=\"20\" y=\"{}\" fill=\"#444\">whole program, {:.1f} us: height of a "
      "column = part of its time the engine is busy, or a transfer in flight</text>\n",
      kTop - 18, length);
  for (unsigned i = 0; i < count; ++i) out += strip(lanes[i], picture, kTop + i * kLanePitch);
  out += time_axis(kTop + count * kLanePitch, 0, length);
  const double from = microseconds(window.begin_fs - picture.begin_fs);
  out += fmt::format(
      "<text x=\"20\" y=\"{}\" fill=\"#444\">{:.1f} us from the middle, instruction by "
      "instruction</text>\n",
      lower - 18, microseconds(part));
  for (unsigned i = 0; i < count; ++i)
    out += window_lane(lanes[i], log, window, colour_of, lower + i * kLanePitch);
  out += time_axis(lower + count * kLanePitch, from, from + microseconds(part));
  double x = kLeft;
  for (std::size_t i = 0; i < order.size() && time_of[order[i]] > 0 && x < kLeft + kWidth - 120;
       ++i) {
    const std::string& name = log.names()[order[i]];
    out += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>"
        "<text x=\"{:.0f}\" y=\"{}\" font-size=\"11\">{}</text>\n",
        x, legend, colour_of[order[i]], x + 17, legend + 11, xml_escaped(name));
    x += 34 + 6.6 * static_cast<double>(name.size());
  }
  return out + "</svg>\n";
}

}  // namespace tern::app
