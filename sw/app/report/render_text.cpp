// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/report/render.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr std::size_t kLabel = 16;      // width of a line's label
constexpr std::size_t kWidth = 100;     // of paragraphs
constexpr std::size_t kLongCell = 100;  // longer ones at the end of a row go below it
constexpr std::size_t kBelow = 10;      // their indent there
constexpr std::size_t kBar = 40;        // characters of a whole one

std::string padding(std::size_t width, const std::string& text) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ');
}

std::string trimmed(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Of at most kWidth columns, broken at blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, line;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n\r\t", at), text.size());
    const std::string word = printable(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t width = display_width(word);
    if (!line.empty() && indent + used + 1 + width > kWidth) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
      used = 0;
    }
    used += width + (line.empty() ? 0 : 1);
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

class TextRenderer {
 public:
  explicit TextRenderer(bool colour) : style_(colour) {}

  std::string render(const Report& report, const std::string& report_path) {
    out_ = fmt::format("\n{}: {}\n", printable(report.title), printable(report.subtitle));
    for (const Block& block : report.blocks) add(block);
    Lines files;
    if (!report_path.empty()) files.push_back({"report", report_path});
    files.insert(files.end(), report.last_lines.begin(), report.last_lines.end());
    // Next to the lines of a report that has nothing else.
    if (in_section_ || after_table_) out_ += files.empty() ? "" : "\n";
    add_lines(files);
    if (report.verdict) {
      out_ += fmt::format("{}{}{}\n", report.verdict->good ? style_.good : style_.bad,
                          printable(report.verdict->text), style_.off);
    }
    return out_;
  }

  void operator()(const Lines& lines) {
    if (lines.empty()) return;
    gap();
    add_lines(lines);
    after_table_ = false;
  }
  void operator()(const Figures&) {}
  void operator()(const Table& table) {
    gap();
    add_table(table);
    after_table_ = true;
  }
  void operator()(const Paragraph& paragraph) {
    gap();
    out_ += wrapped(paragraph.text, 2);
  }
  void operator()(const Note& note) {
    gap();
    out_ += style_.dim + wrapped(note.text, 2) + style_.off;
  }
  void operator()(const Lanes&) {}
  void operator()(const Picture&) {}
  void operator()(const DataFile&) {}
  void operator()(const Folded&) {}
  void operator()(const Section& section) {
    if (section.where == Section::kFiles) return;
    in_section_ = true;
    out_ += fmt::format("\n{}{}{}\n", style_.bold, printable(section.title), style_.off);
    if (!section.note.empty()) out_ += style_.dim + wrapped(section.note, 2) + style_.off;
    after_heading_ = true;
    for (const Block& block : section.blocks) add(block);
  }

 private:
  void add(const Block& block) { std::visit(*this, block.content()); }

  // An empty line, but not below a heading.
  void gap() {
    if (!after_heading_) out_ += "\n";
    after_heading_ = false;
  }

  const char* colour_of(Cell::Tone tone) const {
    switch (tone) {
      case Cell::kGood:
        return style_.good;
      case Cell::kBad:
        return style_.bad;
      case Cell::kDim:
        return style_.dim;
      case Cell::kPlain:
        break;
    }
    return "";
  }

  void add_lines(const Lines& lines) {
    for (const Line& line : lines) {
      const std::string label = printable(line.label);
      out_ += fmt::format("  {}{} {}", label, padding(kLabel, label), printable(line.value));
      if (line.ok) {
        out_ += fmt::format("  {}{}{}", *line.ok ? style_.good : style_.bad,
                            *line.ok ? "ok" : "FAILED", style_.off);
      }
      out_ += "\n";
    }
  }

  static std::string cell_text(const Column& column, const Cell& cell) {
    if (column.kind != Column::kBar) return printable(cell.text);
    const double bar = std::clamp(std::isnan(cell.bar) ? 0 : cell.bar, 0.0, 1.0);
    return std::string(static_cast<std::size_t>(bar * kBar), '#');
  }

  void add_table(const Table& table) {
    std::vector<std::size_t> widths;
    Row titles;
    for (const Column& column : table.columns) {
      titles.emplace_back(column.title, Cell::kDim);
      widths.push_back(display_width(printable(column.title)));
    }
    bool long_cells = false;
    for (const Row& row : table.rows) {
      for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
        const std::size_t width = display_width(cell_text(table.columns[c], row[c]));
        const bool last = c + 1 == row.size();
        if (last && c + 1 == widths.size() && width > kLongCell) long_cells = true;
        if (!last || row.size() == widths.size()) widths[c] = std::max(widths[c], width);
      }
    }
    std::vector<Column> plain = table.columns;
    for (Column& column : plain)
      column.kind = column.kind == Column::kBar ? Column::kText : column.kind;
    if (std::any_of(titles.begin(), titles.end(), [](const Cell& c) { return !c.text.empty(); }))
      add_row(plain, widths, titles, false);
    for (const Row& row : table.rows) add_row(table.columns, widths, row, long_cells);
  }

  void add_row(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
               const Row& row, bool last_below) {
    std::string line, below;
    std::size_t trailing = 0;  // blanks at the end so far
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
      const bool rest = c + 1 == row.size() && row.size() < widths.size();
      const std::string text = cell_text(columns[c], row[c]);
      if (last_below && c + 1 == widths.size()) {
        below = wrapped(text, kBelow);
        continue;
      }
      const std::string pad = rest ? "" : padding(widths[c], text);
      const bool number = !rest && columns[c].kind == Column::kNumber;
      line += std::string(trailing + 2 + (number ? pad.size() : 0), ' ');
      trailing = number ? 0 : pad.size();
      const char* colour = colour_of(row[c].tone);
      line += text.empty() ? "" : colour + text + (*colour == '\0' ? "" : style_.off);
    }
    out_ += trimmed(line) + "\n" + below;
  }

  const Style style_;
  std::string out_;
  bool after_heading_ = true, after_table_ = false, in_section_ = false;
};

}  // namespace

std::string text_of(const Report& report, const std::string& report_path, bool colour) {
  return TextRenderer(colour).render(report, report_path);
}

}  // namespace tern::app
