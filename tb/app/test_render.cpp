// SPDX-License-Identifier: Apache-2.0
// A report in its forms: what users write stays text everywhere, and the layouts hold together.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sw/app/report/records.h"
#include "sw/app/report/render.h"
#include "sw/app/report/text.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using app::Cell;
using app::Column;
using app::Report;
using app::Section;
using app::Table;
using Catch::Contains;

namespace {

// A block of every kind, each text of it hostile.
Report report_of_texts(const std::string& text) {
  Report report;
  report.title = report.subtitle = text;
  report.verdict = {false, text};
  report.add(app::Figures{{text, text, text}});
  report.add(app::Lines{{text, text, true}, {text, text, false}, {text, text}});
  Section section(text, text);
  section.add(Table{{{text}, {text, Column::kNumber}, {text, Column::kBar}},
                    {{text, {text, Cell::kBad, 0.5}, {"", Cell::kPlain, 2}}, {text}, {}}});
  section.add(app::Paragraph{text});
  section.add(app::Note{text});
  section.add(app::Lanes{{{text, text, {0, 1}}}, text});
  app::LineChart chart;
  chart.title = chart.x_label = chart.y_label = text;
  chart.series = {{text, {1, 2}, {3, 4}}};
  section.add(app::Folded{text, {app::Picture{"curve.svg", text, chart}, app::Paragraph{text}}});
  section.add(app::DataFile{"data.csv", {{{text}}, {{text}}}});
  report.add(section);
  report.last_lines = {{text, text}};
  report.how = {text, text, text, text, text};
  report.data = {{"text", text}};
  return report;
}

std::string text_of(const Report& report) {
  return app::text_of(report, "", false);
}

// What a terminal may be sent: lines of characters to be seen.
bool is_harmless(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) return false;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xC2 && next < 0xA0) return false;  // C1 controls
  }
  return true;
}

Report report_with(const Table& table) {
  Report report;
  report.title = "t";
  report.subtitle = "s";
  Section section("rows");
  section.add(table);
  report.add(section);
  return report;
}

}  // namespace

TEST_CASE("no control character reaches a terminal") {
  const Report report = report_of_texts(
      "\033[31m\007a\rb\nc\td\x7F\xC2\x9B"
      "2J\xE2\x80\xAE\xFF");
  const std::string text = text_of(report);
  CHECK(is_harmless(text));
  CHECK_THAT(text, !Contains("\xE2\x80\xAE"));  // changes the direction of writing
  CHECK_THAT(text, Contains("[31m") && Contains("\xEF\xBF\xBD"));
  std::string coloured = app::text_of(report, "r.html", true);
  for (const char* own : {"\033[32m", "\033[31m", "\033[1m", "\033[2m", "\033[0m"}) {
    for (std::size_t at; (at = coloured.find(own)) != std::string::npos;)
      coloured.erase(at, std::string(own).size());
  }
  CHECK(is_harmless(coloured));

  std::mt19937_64 random(tb::test_seed());
  for (int n = 0; n < 300; ++n) {
    std::string bytes(random() % 24, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    REQUIRE(is_harmless(text_of(report_of_texts(bytes))));
    REQUIRE(is_harmless(app::markdown_of(report_of_texts(bytes))));
  }
}

TEST_CASE("no text becomes markup of a page or of Markdown") {
  const std::string evil = "</p><script>alert('x')</script>|![i](http://x)`*b*_i_\n# h";
  const Report report = report_of_texts(evil);
  const std::string page = app::page_of(report);
  CHECK_THAT(page, !Contains("<script") && Contains("&lt;script&gt;"));
  const std::string markdown = app::markdown_of(report);
  // The command alone is code, and ends where it ends.
  const std::string code = "`` " + app::printable(evil) + " ``";
  const std::size_t at = markdown.find(code);
  REQUIRE(at != std::string::npos);
  std::string rest = markdown;
  rest.erase(at, code.size());
  CHECK_THAT(rest, !Contains("<script") && !Contains("</p>"));
  CHECK_THAT(rest, !Contains("](http") && !Contains("\n# h"));
  CHECK_THAT(rest, Contains("\\|") && Contains("\\`\\*b\\*\\_i\\_"));
}

TEST_CASE("Markdown leaves alone what needs no escape") {
  Report report = report_of_texts("mxfp8_e4m3fn [128, 64]^T x 2-3 (a)");
  CHECK_THAT(app::markdown_of(report), Contains("| mxfp8_e4m3fn [128, 64]^T x 2-3 (a) |"));
  // At the beginning of a paragraph it would be a list or a heading.
  report = report_of_texts("- a");
  CHECK_THAT(app::markdown_of(report), Contains("\n\\- a\n"));
}

TEST_CASE("columns of a table are aligned, also behind characters of several bytes") {
  const Table table{
      {{"name"}, {"us", Column::kNumber}, {"more"}},
      {{"a", "1.00", "x"}, {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", "123.45", ""}}};
  CHECK(text_of(report_with(table)) ==
        "\nt: s\n"
        "\nrows\n"
        "  name       us  more\n"
        "  a        1.00  x\n"
        "  \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9  123.45\n");
}

TEST_CASE("a short row's last cell takes the rest, and widens no column") {
  const std::string why = "not on this chip";
  const Report report = report_with(
      {{{"format"}, {"us", Column::kNumber}, {"bits"}}, {{"bf16", "1", "yes"}, {"mx", why}}});
  CHECK_THAT(text_of(report), Contains("  format  us  bits\n  bf16     1  yes\n  mx      " + why));
  CHECK_THAT(app::markdown_of(report), Contains("| mx |  | " + why + " |"));
  CHECK_THAT(app::page_of(report), Contains("<td colspan=\"2\">" + why + "</td>"));
}

TEST_CASE("a long text at the end of a row goes below it, in lines that fit") {
  std::string words;
  for (int n = 0; n < 60; ++n) words += "word ";
  const std::string text = text_of(report_with({{{"where"}, {"text"}}, {{"here", words}}}));
  CHECK_THAT(text, Contains("  here\n          word word"));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= 100);
    at = end + 1;
  }
}

TEST_CASE("tables without rows, and reports without blocks, have a form, too") {
  const Report empty = report_with({{{"a"}, {"b", Column::kNumber}}, {}});
  CHECK_THAT(text_of(empty), Contains("  a  b\n"));
  CHECK_THAT(app::markdown_of(empty), Contains("| a | b |\n|---|---:|\n"));
  CHECK_THAT(app::page_of(empty), Contains("<tbody>\n</tbody>"));
  CHECK_NOTHROW(app::page_of(report_with({})));
  CHECK_NOTHROW(text_of(report_with({})));
  CHECK_NOTHROW(app::markdown_of(report_with({})));
  CHECK(text_of(Report()) == "\n: \n");
  Report lines;
  lines.add(app::Lines{});
  lines.add(app::Figures{});
  CHECK_THAT(app::markdown_of(lines), !Contains("|---|"));
}

TEST_CASE("lines: verdicts, files and the last line") {
  Report report;
  report.title = "digits";
  report.subtitle = "mlp on trn3";
  report.verdict = {false, "FAILED"};
  report.add(app::Lines{{"accuracy", "98 %", true}, {"bit-exact", "1 of 2", false}, {"busy", "1"}});
  report.last_lines = {{"trace", "t.json"}};
  CHECK(app::text_of(report, "out/report.html", false) ==
        "\ndigits: mlp on trn3\n"
        "  accuracy         98 %  ok\n"
        "  bit-exact        1 of 2  FAILED\n"
        "  busy             1\n"
        "  report           out/report.html\n"
        "  trace            t.json\n"
        "FAILED\n");
  const std::string markdown = app::markdown_of(report);
  CHECK_THAT(markdown, Contains("**FAILED**\n") && Contains("| accuracy | 98 % | ok |") &&
                           Contains("| bit-exact | 1 of 2 | **FAILED** |") &&
                           Contains("| trace | t.json |"));
  CHECK_THAT(app::page_of(report), Contains("<td class=\"bad\">FAILED</td>"));
}

TEST_CASE("what is for files only is not on the terminal") {
  Report report;
  Section section("phases", "long", Section::kFiles);
  section.add(app::Paragraph{"of the product"});
  report.add(section);
  report.add(app::Figures{{"42", "answers", ""}});
  CHECK(text_of(report) == "\n: \n");
  CHECK_THAT(app::markdown_of(report),
             Contains("## phases\n\nlong\n\nof the product\n") && Contains("**42**"));
  CHECK_THAT(app::page_of(report), Contains("<h2>phases</h2>") && Contains("<b>42</b>"));
}

TEST_CASE("bars are as long as their share") {
  const Table table{{{"", Column::kText}, {"", Column::kBar}},
                    {{"all", {"", Cell::kPlain, 1}},
                     {"half", {"", Cell::kPlain, 0.5}},
                     {"none", {"", Cell::kPlain, 0}},
                     {"nan", {"", Cell::kPlain, 0.0 / 0.0}}}};
  const std::string text = text_of(report_with(table));
  CHECK_THAT(text, Contains("  all   " + std::string(40, '#') + "\n"));
  CHECK_THAT(text, Contains("  half  " + std::string(20, '#') + "\n") && Contains("  none\n"));
}

TEST_CASE("data files quote what would end a field") {
  CHECK(app::csv_of({{{"a"}, {"b"}}, {{"1,5", "say \"x\""}, {"2", "x\ny"}}}) ==
        "a,b\n\"1,5\",\"say \"\"x\"\"\"\n2,\"x\ny\"\n");
}

TEST_CASE("data is JSON whatever bytes a name has") {
  const std::string json = app::json_of(report_of_texts("\xFF\x01"));
  CHECK(nlohmann::json::parse(json)["text"] == "\xEF\xBF\xBD\x01");
}

TEST_CASE("data on a terminal: no control character, and still the same text") {
  std::string text =
      "\x7F\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0\xE2\x80\xAE\xE2\x81\xA6\xE2\x82\xAC\t\033[31m";
  const std::string json = app::json_of(report_of_texts(text));
  CHECK(is_harmless(json));
  for (const char* part :
       {"\\u007f", "\\u0080", "\\u009b", "\\u009f", "\\u202e", "\\u2066", "\\u001b"})
    CHECK_THAT(json, Contains(part));
  CHECK_THAT(json, Contains("\xC2\xA0") && Contains("\xE2\x82\xAC"));
  CHECK(nlohmann::json::parse(json)["text"] == text);

  std::mt19937_64 random(tb::test_seed());
  for (int n = 0; n < 300; ++n) {
    std::string bytes(random() % 24, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string some = app::json_of(report_of_texts(bytes));
    REQUIRE(is_harmless(some));
    REQUIRE_NOTHROW(nlohmann::json::parse(some));
  }
}

TEST_CASE("data files hold no formula") {
  const Table table{
      {{"name"}, {"value", Column::kNumber}},
      {{"=1+1", "-2.5"}, {"+a", "+1e9"}, {"-x", "@sum"}, {"\tx", "\ry"}, {"a=b", "-"}}};
  CHECK(app::csv_of(table) == "name,value\n'=1+1,-2.5\n'+a,+1e9\n'-x,'@sum\n' x,' y\na=b,'-\n");
}

TEST_CASE("records: a row for each entry, columns by key, lists in lists") {
  const auto data = nlohmann::ordered_json::parse(R"({"seed": 1, "runs": [
    {"name": "a", "us": 1.5, "bits": true, "loss": [1, 2], "busy": {"tensor": 0.5},
     "parts": {"x": {"us": 2}, "y": {"us": null}}},
    {"name": "b", "why": "=no"}]})");
  CHECK(app::csv_of(app::records("r.csv", data, {"runs"}).table) ==
        "run,us,bits,busy.tensor,parts.x.us,parts.y.us,why\na,1.5,true,0.5,2,,\nb,,,,,,'=no\n");
  CHECK(app::csv_of(app::records("r.csv", data, {"runs", "parts"}).table) ==
        "run,us,bits,busy.tensor,part,part_us,why\na,1.5,true,0.5,x,2,\na,1.5,true,0.5,y,,\n"
        "b,,,,,,'=no\n");
  CHECK(app::records("r.csv", data, {"none"}).table.rows.empty());
  const auto lists = nlohmann::ordered_json::parse(R"({"loss": [0.5, 0.25], "rate": [1]})");
  CHECK(app::csv_of(app::side_by_side("s.csv", lists, "step", {"loss", "rate"}).table) ==
        "step,loss,rate\n1,0.5,1\n2,0.25,\n");
}

TEST_CASE("a report says which chip it ran on: what differs from the preset first") {
  Report report = report_of_texts("t");
  report.kind = "kernel";
  report.how.overrides = {{"cores", "2", "command line"}};
  report.chips = {app::chip_values("trn3", report.how.overrides)};
  const auto data = nlohmann::json::parse(app::json_of(report));
  CHECK(data["kind"] == "kernel");
  CHECK(data["overrides"] == nlohmann::json{{"cores", "2"}});
  CHECK(data["preset"] == "trn3");
  CHECK(data["config"].size() == load_chip_config("trn3").values.size());
  for (const auto& value : data["config"]) {
    CHECK(value.contains("preset") == (value["key"] == "cores"));
    if (value["key"] == "cores") CHECK((value["value"] == "2" && value["preset"] == "8"));
  }
  for (const std::string& text : {app::page_of(report), app::markdown_of(report)}) {
    CHECK_THAT(text, Contains("trn3: 1 value differs from the preset trn3."));
    CHECK_THAT(text, Contains("Chip values") && Contains("hbm.pin_gbps"));
    CHECK(text.find("cores") < text.find("core.tensor.clock_ghz"));
  }
  // Of several chips every value once.
  report.several_chips = true;
  report.chips.push_back(app::chip_values("trn3", {{"cores", "4", "command line"}}));
  const auto several = nlohmann::json::parse(app::json_of(report));
  CHECK(!several.contains("config"));
  REQUIRE(several["configs"].size() == 2);
  CHECK(several["configs"][1]["values"].size() == 1);
  CHECK(several["configs"][1]["values"][0]["value"] == "4");
}
