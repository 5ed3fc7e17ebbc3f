// SPDX-License-Identifier: Apache-2.0
// Pages of reports: what users write stays text, and the markup is closed.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/text.h"
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
