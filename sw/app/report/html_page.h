// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/report/report.h"

namespace tern::app {

// A report as one self-contained HTML file: style and pictures are inside; there is no script and
// no access to the network. Light and dark, from phone to desktop. All texts are escaped here,
// whatever their origin; only `svg` is markup, from this folder's own functions.
class HtmlPage {
 public:
  HtmlPage(const std::string& title, const std::string& subtitle);

  // Next to the title; `text` instead of PASSED or FAILED.
  void verdict(bool passed, const std::string& text = "");
  void figures(const Figures& figures);
  void section(const std::string& title, const std::string& note = "");
  void paragraph(const std::string& text);
  // Small print: definitions.
  void note(const std::string& text);
  void code(const std::string& text);
  void table(const Table& table);
  // An SVG of chart_svg.h or timeline_svg.h, in the colours of the page.
  void picture(const std::string& svg, const std::string& caption = "");
  // The content in between is shown when the title is opened.
  void open_fold(const std::string& title);
  void close_fold();
  void lanes(const Lanes& lanes);
  // The last section of every page. files: written next to the page.
  void how_it_ran(const HowItRan& run, const Lines& files);

  std::string html() const;

 private:
  void close_section();

  std::string title_, subtitle_, verdict_, body_;
  bool in_section_ = false;
};

}  // namespace tern::app
