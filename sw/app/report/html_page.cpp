// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/report/html_style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr unsigned kLaneHeight = 20;
constexpr std::size_t kTilesInRow = 5;

const char* tone_class(Cell::Tone tone) {
  switch (tone) {
    case Cell::kGood:
      return "good";
    case Cell::kBad:
      return "bad";
    case Cell::kDim:
      return "dim";
    case Cell::kPlain:
      break;
  }
  return "";
}

// The namespace is not needed inside HTML, where it would read like a link.
std::string inline_svg(std::string svg) {
  static const std::string kNamespace = " xmlns=\"http://www.w3.org/2000/svg\"";
  const std::size_t at = svg.find(kNamespace);
  if (at != std::string::npos) svg.erase(at, kNamespace.size());
  return svg;
}

constexpr std::size_t kBarWidth = 7;   // of a phone, in characters
constexpr std::size_t kUnbroken = 16;  // characters: a number with its unit stays on a line

std::string cell_html(const Cell& cell, bool number, std::size_t span) {
  std::string classes = tone_class(cell.tone);
  if (number) classes += classes.empty() ? "n" : " n";
  if (number && cell.text.size() <= kUnbroken) classes += " k";
  std::string out = "<td";
  if (!classes.empty()) out += fmt::format(" class=\"{}\"", classes);
  if (span > 1) out += fmt::format(" colspan=\"{}\"", span);
  out += ">" + xml_escaped(cell.text);
  if (cell.bar >= 0) {
    out += fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>",
                       100 * std::min(cell.bar, 1.0));
  }
  return out + "</td>";
}

// About the least width of a table, in characters: words are not broken, short numbers not at all.
std::size_t least_width(const Table& table) {
  std::size_t sum = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto longest_word = [](const std::string& text) {
      std::size_t longest = 0;
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(" -", at), text.size());
        longest = std::max(longest, display_width(text.substr(at, end - at)));
        at = end + 1;
      }
      return longest;
    };
    std::size_t width = longest_word(table.columns[c].title);
    for (const Row& row : table.rows) {
      if (c >= row.size() || (c + 1 == row.size() && row.size() < table.columns.size())) continue;
      const bool whole =
          table.columns[c].kind == Column::kNumber && row[c].text.size() <= kUnbroken;
      width = std::max(width, whole ? row[c].text.size() : longest_word(row[c].text));
      if (row[c].bar >= 0) width = std::max(width, kBarWidth);
    }
    sum += width + 2;
  }
  return sum;
}

constexpr std::size_t kPhoneWidth = 48;  // characters that a phone shows side by side

// The outline of a strip: equal neighbours are one step.
std::string lane_path(const std::vector<double>& part) {
  std::string path = fmt::format("M0 {}", kLaneHeight);
  int last = kLaneHeight;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const int top = static_cast<int>(
        std::lround(kLaneHeight * (1 - std::clamp(std::isnan(part[i]) ? 0 : part[i], 0.0, 1.0))));
    if (top == last) continue;
    path += fmt::format("H{}V{}", i, top);
    last = top;
  }
  return path + fmt::format("H{}V{}z", part.size(), kLaneHeight);
}

}  // namespace

HtmlPage::HtmlPage(const std::string& title, const std::string& subtitle)
    : title_(title), subtitle_(subtitle) {}

void HtmlPage::verdict(bool passed, const std::string& text) {
  verdict_ = fmt::format("<span class=\"verdict {}\">{}</span>", passed ? "good" : "bad",
                         xml_escaped(!text.empty() ? text
                                     : passed      ? "PASSED"
                                                   : "FAILED"));
}

void HtmlPage::figures(const Figures& figures) {
  if (figures.empty()) return;
  // Rows of at most five, as even as they go: seven are four and three.
  const std::size_t rows = (figures.size() + kTilesInRow - 1) / kTilesInRow;
  body_ += fmt::format("<div class=\"figures\" style=\"--tiles:{}\">\n",
                       (figures.size() + rows - 1) / rows);
  for (const Figure& f : figures) {
    body_ +=
        fmt::format("<div><span>{}</span><b>{}</b>", xml_escaped(f.label), xml_escaped(f.value));
    if (!f.note.empty()) body_ += fmt::format("<small>{}</small>", xml_escaped(f.note));
    body_ += "</div>\n";
  }
  body_ += "</div>\n";
}

void HtmlPage::close_section() {
  if (in_section_) body_ += "</section>\n";
  in_section_ = false;
}

void HtmlPage::section(const std::string& title, const std::string& note_text) {
  close_section();
  body_ += fmt::format("<section>\n<h2>{}</h2>\n", xml_escaped(title));
  in_section_ = true;
  if (!note_text.empty()) note(note_text);
}

void HtmlPage::paragraph(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", xml_escaped(text));
}

void HtmlPage::note(const std::string& text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", xml_escaped(text));
}

void HtmlPage::code(const std::string& text) {
  body_ += fmt::format("<pre>{}</pre>\n", xml_escaped(text));
}

void HtmlPage::table(const Table& table) {
  const std::vector<Column>& columns = table.columns;
  body_ += fmt::format("<div class=\"scroll{}\" tabindex=\"0\"><table>\n<thead><tr>",
                       least_width(table) > kPhoneWidth ? " wide" : "");
  for (const Column& column : columns) {
    body_ += fmt::format("<th{}>{}</th>", column.kind == Column::kNumber ? " class=\"n\"" : "",
                         xml_escaped(column.title));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const Row& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::size_t span =
          c + 1 == row.size() && row.size() < columns.size() ? columns.size() - c : 1;
      const bool number = span == 1 && c < columns.size() && columns[c].kind == Column::kNumber;
      body_ += cell_html(row[c], number, span);
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void HtmlPage::picture(const std::string& svg, const std::string& caption) {
  body_ += "<figure>\n<div class=\"scroll\" tabindex=\"0\">" + inline_svg(svg) + "</div>\n";
  if (!caption.empty()) body_ += fmt::format("<figcaption>{}</figcaption>\n", xml_escaped(caption));
  body_ += "</figure>\n";
}

void HtmlPage::open_fold(const std::string& title) {
  body_ += fmt::format("<details><summary>{}</summary>\n", xml_escaped(title));
}

void HtmlPage::close_fold() {
  body_ += "</details>\n";
}

void HtmlPage::lanes(const Lanes& lanes) {
  body_ += "<div class=\"lanes\">\n";
  for (const Lane& lane : lanes.lanes) {
    body_ += fmt::format(
        "<span>{}</span><svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><path d=\"{}\"/></svg><span class=\"v\">{}</span>\n",
        xml_escaped(lane.label), std::max<std::size_t>(lane.part.size(), 1), kLaneHeight,
        lane_path(lane.part), xml_escaped(lane.note));
  }
  body_ += fmt::format(
      "<span></span><span class=\"axis\"><span>0</span><span>{}</span></span><span></span>\n"
      "</div>\n",
      xml_escaped(lanes.axis_end));
}

void HtmlPage::how_it_ran(const HowItRan& run, const Lines& files) {
  section("How to repeat it");
  code(run.command);
  body_ += "<dl>\n";
  const auto line = [this](const std::string& what, const std::string& value) {
    if (value.empty()) return;
    body_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_escaped(what), xml_escaped(value));
  };
  line("workload", run.workload_path);
  line("chip", run.chip);
  line("seed", run.seed);
  line("made by", run.version.empty() ? "" : "tern " + run.version);
  for (const Line& file : files) line(file.label, file.value);
  body_ += "</dl>\n";
}

std::string HtmlPage::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n"
      "<header><h1>{0}</h1>{2}<p>{3}</p></header>\n{4}{5}</main>\n</body>\n</html>\n",
      xml_escaped(title_), kHtmlStyle, verdict_, xml_escaped(subtitle_), body_,
      in_section_ ? "</section>\n" : "");
}

}  // namespace tern::app
