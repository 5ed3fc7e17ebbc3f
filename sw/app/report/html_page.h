// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::app {

// A number to be seen first: "98.82 %", "accuracy", "9,882 of 10,000".
struct HtmlFigure {
  std::string value, label, note;
};

struct HtmlColumn {
  enum Kind { kText, kNumber };
  std::string title;
  Kind kind = kText;
};

struct HtmlCell {
  enum Tone { kPlain, kGood, kBad, kDim };
  HtmlCell(std::string cell_text, Tone cell_tone = kPlain, double cell_bar = -1)  // NOLINT
      : text(std::move(cell_text)), tone(cell_tone), bar(cell_bar) {}
  HtmlCell(const char* cell_text) : text(cell_text) {}  // NOLINT: cells are written as texts
  std::string text;
  Tone tone = kPlain;
  double bar = -1;  // 0 .. 1: a bar of that length below the text
};
using HtmlRow = std::vector<HtmlCell>;

// A strip of equal stretches of time, each covered by a part 0 .. 1.
struct HtmlLane {
  std::string label, note;
  std::vector<double> part;
};

// What it takes to do it again. Empty texts are left out.
struct HowItRan {
  std::string command, workload_path, chip, version;
  std::string seed;  // empty: nothing random
};

// A report as one HTML file that needs nothing else: style and pictures are inside, there is no
// script and nothing from the network; light and dark, from phone to desktop. All texts are escaped
// here, whoever wrote them; only `svg` is markup, of this folder's own functions.
class HtmlPage {
 public:
  HtmlPage(const std::string& title, const std::string& subtitle);

  // Beside the title; `text` instead of PASSED or FAILED.
  void verdict(bool passed, const std::string& text = "");
  void figures(const std::vector<HtmlFigure>& figures);
  void section(const std::string& title, const std::string& note = "");
  void paragraph(const std::string& text);
  // Small print: definitions.
  void note(const std::string& text);
  void code(const std::string& text);
  // Rows may be shorter than the columns: the last cell takes the rest.
  void table(const std::vector<HtmlColumn>& columns, const std::vector<HtmlRow>& rows);
  // An SVG of chart_svg.h or timeline_svg.h, in the colours of the page.
  void picture(const std::string& svg, const std::string& caption = "");
  // The same, shown when its title is opened.
  void folded_picture(const std::string& title, const std::string& svg);
  // Strips below each other, with an axis from 0 to `axis_end` ("45.0 us").
  void lanes(const std::vector<HtmlLane>& lanes, const std::string& axis_end);
  // The last section of every page.
  void how_it_ran(const HowItRan& run);

  std::string html() const;

 private:
  void close_section();

  std::string title_, subtitle_, verdict_, body_;
  bool in_section_ = false;
};

}  // namespace tern::app
