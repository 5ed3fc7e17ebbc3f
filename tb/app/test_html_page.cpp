// SPDX-License-Identifier: Apache-2.0
// Pages of reports: what users write stays text, and the markup is closed.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/text.h"
#include "sw/app/report/timeline_svg.h"
#include "systemc/trace/span_log.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using app::HtmlPage;
using app::xml_escaped;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// An independent decoder: every byte is printable ASCII, or part of a shortest UTF-8 sequence.
bool is_clean_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) {
      if ((lead < 0x20 && lead != '\n' && lead != '\t' && lead != '\r') || lead == 0x7F)
        return false;
      continue;
    }
    const unsigned more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || i + more > text.size()) return false;
    unsigned long code = lead & (0x3Fu >> more);
    for (unsigned k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if (next < 0x80 || next > 0xBF) return false;
      code = code * 64 + (next - 0x80);
    }
    const unsigned long least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("escaped text has no markup, and good UTF-8 stays as it is") {
  CHECK(xml_escaped("a<b>&\"'c") == "a&lt;b&gt;&amp;&quot;&#39;c");
  CHECK(xml_escaped("\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x98\x80\n") ==
        "\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x98\x80\n");
  CHECK(xml_escaped(std::string("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  // A lone byte, a cut sequence, an overlong slash, a surrogate, beyond the last character.
  for (const char* bad : {"\xFF", "\xE2\x86", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    const std::string text = xml_escaped(bad);
    CHECK(is_clean_utf8(text));
    CHECK(contains(text, "\xEF\xBF\xBD"));
  }
}

TEST_CASE("any bytes become clean UTF-8 without markup") {
  std::mt19937_64 random(tb::test_seed());
  for (int n = 0; n < 2000; ++n) {
    std::string bytes(random() % 24, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string text = xml_escaped(bytes);
    REQUIRE(is_clean_utf8(text));
    REQUIRE(text.find_first_of("<>\"'") == std::string::npos);
  }
}

TEST_CASE("every text of a page is escaped") {
  const std::string evil = "</title><script>alert('x')</script>\"onload=\"";
  HtmlPage page(evil, evil);
  page.verdict(false, evil);
  page.figures({{evil, evil, evil}});
  page.section(evil, evil);
  page.paragraph(evil);
  page.note(evil);
  page.code(evil);
  page.table({{{evil}, {evil, app::Column::kNumber}}, {{evil, {evil, app::Cell::kBad, 2}}}});
  page.lanes({{{evil, evil, {0, 0.5, 1}}}, evil});
  app::LineChart chart;
  chart.title = chart.x_label = chart.y_label = evil;
  chart.series = {{evil, {1, 2}, {3, 4}}};
  chart.levels = {{evil, 2}};
  page.picture(app::line_chart_svg(chart), evil);
  page.open_fold(evil);
  page.picture(app::bar_charts_svg({{evil, evil, {evil}, {{evil, {1}}}}}));
  page.close_fold();
  page.how_it_ran({evil, evil, evil, evil, evil}, {{evil, evil}});
  const std::string html = page.html();
  CHECK_FALSE(contains(html, "<script"));
  CHECK_FALSE(contains(html, "\"onload"));
  CHECK(contains(html, "&lt;script&gt;"));
  CHECK_FALSE(contains(html, "http"));
}

TEST_CASE("a curve over steps leaves out what is not finite, and writes no number that is none") {
  app::LineChart chart;
  chart.logarithmic = false;
  chart.series = {{"loss", {0, 100, 200, 300}, {2.5, 1.5, NAN, INFINITY}}, {"empty", {}, {}}};
  std::string svg = app::line_chart_svg(chart);
  CHECK_FALSE(contains(svg, "nan"));
  CHECK_FALSE(contains(svg, "inf"));
  CHECK(contains(svg, ">200<"));  // a tick
  chart.series = {{"one", {7}, {0.5}}};
  CHECK_FALSE(contains(app::line_chart_svg(chart), "nan"));
  chart.series.clear();
  CHECK_FALSE(contains(app::line_chart_svg(chart), "nan"));
}

TEST_CASE("many curves differ in colour or dashes, and their names are inside of the picture") {
  app::LineChart chart;
  chart.logarithmic = true;
  constexpr unsigned kCurves = 26;
  for (unsigned i = 0; i < kCurves; ++i)
    chart.series.push_back({fmt::format("curve {}", i), {1, 2}, {1.0 + i, 2.0 + i}});
  const std::string svg = app::line_chart_svg(chart);
  std::set<std::string> pens;
  const std::string pen = "fill=\"none\" ";
  for (std::size_t at = svg.find(pen); at != std::string::npos; at = svg.find(pen, at + 1))
    pens.insert(svg.substr(at, svg.find("/>", at) - at));
  CHECK(pens.size() == kCurves);
  const auto number_after = [&](const std::string& what) {
    return std::stod(svg.substr(svg.find(what) + what.size()));
  };
  const std::size_t last = svg.find(">curve 25<");
  REQUIRE(last != std::string::npos);
  const std::size_t y = svg.rfind(" y=\"", last);
  CHECK(std::stod(svg.substr(y + 4)) < number_after("height=\""));
}

TEST_CASE("tiles stand in even rows of at most five") {
  const std::vector<std::pair<unsigned, unsigned>> expected = {
      {1, 1}, {4, 4}, {5, 5}, {6, 3}, {7, 4}, {8, 4}, {9, 5}, {10, 5}, {11, 4}};
  for (const auto& [count, in_row] : expected) {
    HtmlPage page("t", "s");
    page.figures(app::Figures(count, {"1", "a", ""}));
    CHECK(contains(page.html(), "--tiles:" + std::to_string(in_row) + "\""));
  }
  HtmlPage none("t", "s");
  none.figures({});
  CHECK(!contains(none.html(), "<div class=\"figures\""));
}

TEST_CASE("what is wider than a phone scrolls in its own box, and says so") {
  HtmlPage page("t", "s");
  const auto table_of = [](unsigned columns) {
    app::Table table;
    for (unsigned c = 0; c < columns; ++c) table.columns.push_back({"title", app::Column::kNumber});
    table.rows.push_back(app::Row(columns, "1,234.5"));
    return table;
  };
  page.table(table_of(3));
  CHECK(!contains(page.html(), "scroll wide"));
  page.table(table_of(9));
  CHECK(contains(page.html(), "scroll wide"));
  // Many words in a cell are broken.
  HtmlPage words("t", "s");
  words.table({{{"what"}, {"why"}}, {{"a", std::string(50, ' ') + "many short words in a line"}}});
  CHECK(!contains(words.html(), "scroll wide"));
  page.picture("<svg></svg>");
  CHECK(contains(page.html(), "<figure>\n<div class=\"scroll\" tabindex=\"0\"><svg>"));
}

TEST_CASE("names of instructions have a contrast of 4.5 on their colours") {
  const auto luminance = [](const std::string& hex) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned digits = hex.size() == 4 ? 1 : 2;
      std::string part = hex.substr(1 + i * digits, digits);
      if (digits == 1) part += part;
      const double c = std::stoul(part, nullptr, 16) / 255.0;
      sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  trace::SpanLog log("core0");
  log.track(0, "core0", "scalar");
  const char* names[] = {"activate2",       "activation",  "exponential", "load_stationary",
                         "multiply_moving", "tensor_copy", "other"};
  std::uint64_t at = 0;
  for (const char* name : names) {
    log.span({0, name, at, at + 800'000'000, ""});
    at += 800'000'000;
  }
  const std::string svg = app::timeline_svg(log, {"t", 0, at});
  for (const char* name : names) {
    // <rect ... fill="COLOUR" ...><title>NAME ...</rect>\n<text ... fill="TEXT">NAME</text>
    const std::size_t title = svg.find(std::string("<title>") + name);
    REQUIRE(title != std::string::npos);
    const std::string before = svg.substr(0, title), after = svg.substr(title);
    const std::string fill = before.substr(before.rfind("fill=\"#") + 6, 7);
    const std::size_t text = after.find("fill=\"");
    const std::string ink = after.substr(text + 6, 4);
    const double a = luminance(fill) + 0.05, b = luminance(ink) + 0.05;
    INFO(name << " " << fill << " " << ink);
    CHECK(std::max(a, b) / std::min(a, b) >= 4.5);
  }
}

TEST_CASE("a curve of close values does not begin at zero unless asked to") {
  app::LineChart chart;
  chart.title = "accuracy";
  chart.logarithmic = false;
  app::LineChart::Series series{"test", {}, {}};
  for (unsigned i = 0; i < 100; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 0 ? 10 : 85 + 0.04 * i);
  }
  chart.series = {series};
  CHECK(contains(app::line_chart_svg(chart), ">0</text>"));
  CHECK(!contains(app::line_chart_svg(chart), "values from"));
  chart.from_zero = false;
  const std::string cut = app::line_chart_svg(chart);
  CHECK(contains(cut, "values from 8"));
  CHECK(!contains(cut, "nan"));
  chart.series[0].y.assign(100, 3);  // all the same
  CHECK(!contains(app::line_chart_svg(chart), "nan"));
  chart.series[0].y[50] = 0.1;  // far from each other
  CHECK(!contains(app::line_chart_svg(chart), "values from"));
  chart.series = {};
  CHECK(!contains(app::line_chart_svg(chart), "nan"));
}

TEST_CASE("points with names: no name is on another, and nothing has no logarithm") {
  app::ScatterChart chart{"t", "x", "y", {}};
  CHECK(!contains(app::scatter_chart_svg(chart), "nan"));
  for (unsigned i = 0; i < 12; ++i) chart.points.push_back({"format" + std::to_string(i), 2, 1e-3});
  chart.points.push_back({"<exact>", 1, 0});
  const std::string svg = app::scatter_chart_svg(chart);
  CHECK(!contains(svg, "nan"));
  CHECK(!contains(svg, "inf"));
  CHECK(contains(svg, "&lt;exact&gt;"));
  std::vector<std::string> places;  // x and y of the names
  for (std::size_t at = 0; (at = svg.find("<text ", at)) != std::string::npos; ++at) {
    const std::string text = svg.substr(at, svg.find("</text>", at) - at);
    if (contains(text, ">format")) places.push_back(text.substr(0, text.find(">")));
  }
  REQUIRE(places.size() == 12);
  std::sort(places.begin(), places.end());
  CHECK(std::unique(places.begin(), places.end()) == places.end());
}

TEST_CASE("bars: long names of many groups are slanted and cut, missing values are no bars") {
  app::BarChart chart{"t", "y", {}, {{"a", {}}}};
  for (unsigned i = 0; i < 20; ++i) {
    chart.groups.push_back("a long name of a group, " + std::to_string(i));
    chart.series[0].y.push_back(i == 3 ? std::nan("") : i);
  }
  const std::string svg = app::bar_charts_svg({chart});
  CHECK(contains(svg, "rotate(-32"));
  CHECK(contains(svg, "<title>a long name of a group, 19</title>"));
  CHECK(!contains(svg, "nan"));
}
