// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "sw/app/report/render.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr std::size_t kBar = 40;

bool is_word(const std::string& text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                              static_cast<unsigned char>(text[at]) >= 0x80);
}

// Escapes text: no markup of Markdown or HTML, no end of a cell. Characters that need no escape get
// none, since many read the source: "mxfp8_e4m3fn", "[128, 64]".
std::string escaped(const std::string& raw) {
  const std::string text = printable(raw);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins = out.empty() && std::string("#+-=>").find(c) != std::string::npos;
    const bool link = (c == '(' && i > 0 && text[i - 1] == ']') || (c == '[' && out.empty());
    const bool emphasis = c == '_' && !(i > 0 && is_word(text, i - 1) && is_word(text, i + 1));
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (begins || link || emphasis || std::string("\\|`*~$").find(c) != std::string::npos)
        out += '\\';
      out += c;
    }
  }
  return out;
}

// As typed, between more backticks than it has in a row.
std::string code(const std::string& raw) {
  const std::string text = printable(raw);
  std::size_t most = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    most = std::max(most, run);
  }
  const std::string fence(most + 1, '`');
  const std::string blank = most == 0 ? "" : " ";
  return fence + blank + text + blank + fence;
}

class MarkdownRenderer {
 public:
  std::string render(const Report& report) {
    out_ = fmt::format("# {}\n\n{}\n", escaped(report.title), escaped(report.subtitle));
    if (report.verdict) out_ += fmt::format("\n**{}**\n", escaped(report.verdict->text));
    for (const Block& block : report.blocks) add(block);
    if (!report.chips.empty()) (*this)(chips_section(report));
    (*this)(Section("How to repeat it"));
    out_ += fmt::format("\n{}\n", code(report.how.command));
    Lines lines;
    const auto line = [&](const char* label, const std::string& value) {
      if (!value.empty()) lines.push_back({label, value});
    };
    line("workload", report.how.workload_path);
    line("chip", report.how.chip);
    line("seed", report.how.seed);
    line("made by", report.how.version.empty() ? "" : "tern " + report.how.version);
    lines.insert(lines.end(), report.last_lines.begin(), report.last_lines.end());
    (*this)(lines);
    return out_;
  }

  void operator()(const Lines& lines) {
    if (lines.empty()) return;
    const bool judged =
        std::any_of(lines.begin(), lines.end(), [](const Line& l) { return l.ok.has_value(); });
    out_ += judged ? "\n| | | |\n|---|---|---|\n" : "\n| | |\n|---|---|\n";
    for (const Line& line : lines) {
      out_ += fmt::format("| {} | {} |", escaped(line.label), escaped(line.value));
      if (judged) out_ += line.ok ? (*line.ok ? " ok |" : " **FAILED** |") : "  |";
      out_ += "\n";
    }
  }
  void operator()(const Figures& figures) {
    if (figures.empty()) return;
    std::string titles = "|", rule = "|", values = "|", notes = "|";
    for (const Figure& f : figures) {
      titles += " " + escaped(f.label) + " |";
      rule += ":---:|";
      values += " **" + escaped(f.value) + "** |";
      notes += " " + escaped(f.note) + " |";
    }
    out_ += "\n" + titles + "\n" + rule + "\n" + values + "\n" + notes + "\n";
  }
  void operator()(const Table& table) {
    std::string rule = "|";
    Row titles;
    for (const Column& column : table.columns) {
      titles.emplace_back(column.title);
      rule += column.kind == Column::kNumber ? "---:|" : "---|";
    }
    out_ += "\n";
    add_row(table, titles, false);
    out_ += rule + "\n";
    for (const Row& row : table.rows) add_row(table, row, true);
  }
  void operator()(const Paragraph& paragraph) {
    out_ += fmt::format("\n{}\n", escaped(paragraph.text));
  }
  void operator()(const Note& note) { out_ += fmt::format("\n{}\n", escaped(note.text)); }
  void operator()(const Lanes& lanes) {
    out_ += fmt::format("\n| of {} | |\n|---|---:|\n", escaped(lanes.axis_end));
    for (const Lane& lane : lanes.lanes)
      out_ += fmt::format("| {} | {} |\n", escaped(lane.label), escaped(lane.note));
  }
  void operator()(const Picture& picture) {
    out_ += fmt::format("\n![{}]({})\n",
                        escaped(picture.caption.empty() ? picture.file : picture.caption),
                        picture.file);
  }
  void operator()(const DataFile& data) { out_ += fmt::format("\n[{0}]({0})\n", data.file); }
  void operator()(const Folded& folded) {
    out_ += fmt::format("\n**{}**\n", escaped(folded.title));
    for (const Block& block : folded.blocks) add(block);
  }
  void operator()(const Section& section) {
    out_ += fmt::format("\n## {}\n", escaped(section.title));
    if (!section.note.empty()) (*this)(Note{section.note});
    for (const Block& block : section.blocks) add(block);
  }

 private:
  void add(const Block& block) { std::visit(*this, block.content()); }

  // A short row's last text goes to the last column: the table has no wider cells.
  void add_row(const Table& table, const Row& row, bool bars) {
    out_ += "|";
    const std::size_t columns = table.columns.size();
    for (std::size_t c = 0; c < columns; ++c) {
      const bool is_short = row.size() < columns && !row.empty();
      const std::size_t from = is_short && c + 1 == columns ? row.size() - 1 : c;
      if (from >= row.size() || (is_short && c + 1 == row.size() && c + 1 < columns)) {
        out_ += "  |";
        continue;
      }
      const Cell& cell = row[from];
      std::string text = escaped(cell.text);
      if (bars && table.columns[c].kind == Column::kBar && cell.bar > 0)
        text = std::string(static_cast<std::size_t>(std::min(cell.bar, 1.0) * kBar), '#');
      if (cell.tone == Cell::kBad && !text.empty()) text = fmt::format("**{}**", text);
      out_ += fmt::format(" {} |", text);
    }
    out_ += "\n";
  }

  std::string out_;
};

}  // namespace

std::string markdown_of(const Report& report) {
  return MarkdownRenderer().render(report);
}

}  // namespace tern::app
