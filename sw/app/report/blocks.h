// SPDX-License-Identifier: Apache-2.0
// The parts of reports: a tree of blocks that holds texts, numbers as texts, and curves, but no
// markup. render.h shows it on a terminal, as Markdown and as a page.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sw/app/report/chart_svg.h"

namespace tern::app {

// "accuracy   98.82 % (9,882 of 10,000)   ok". ok: part of the verdict; none: information only.
struct Line {
  std::string label, value;
  std::optional<bool> ok = {};
};
using Lines = std::vector<Line>;

// A headline number: "98.82 %", "accuracy", "9,882 of 10,000". Not on the terminal, where lines and
// tables repeat it.
struct Figure {
  std::string value, label, note;
};
using Figures = std::vector<Figure>;

struct Column {
  enum Kind { kText, kNumber, kBar };  // kBar: only the bars of its cells
  std::string title;
  Kind kind = kText;
};

struct Cell {
  enum Tone { kPlain, kGood, kBad, kDim };
  Cell(std::string cell_text, Tone cell_tone = kPlain, double cell_bar = -1)  // NOLINT
      : text(std::move(cell_text)), tone(cell_tone), bar(cell_bar) {}
  Cell(const char* cell_text) : text(cell_text) {}  // NOLINT: cells are written as texts
  std::string text;
  Tone tone = kPlain;
  double bar = -1;  // 0 .. 1: a bar of that length below the text
};
using Row = std::vector<Cell>;

// Rows may be shorter than the columns: the last cell takes the rest.
struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct Paragraph {
  std::string text;
};

// Small print: definitions.
struct Note {
  std::string text;
};

// A strip of equal intervals of time, each covered by a part 0 .. 1.
struct Lane {
  std::string label, note;
  std::vector<double> part;
};
// Strips below each other, with an axis from 0 to `axis_end` ("45.0 us").
struct Lanes {
  std::vector<Lane> lanes;
  std::string axis_end;
};

// `file` ("loss.svg") is its name in the report's folder. Pictures are not on the terminal.
struct Picture {
  std::string file, caption;
  // The last: finished SVG.
  std::variant<LineChart, ScatterChart, std::vector<BarChart>, std::string> drawing;
  std::string svg() const;
};

// A table for programs: a CSV file in the report's folder, shown nowhere.
struct DataFile {
  std::string file;
  Table table;
};

struct Block;

// Hidden until its title is opened, where the medium supports it.
struct Folded {
  std::string title;
  std::vector<Block> blocks;
};

struct Section {
  enum Where { kEverywhere, kFiles };  // kFiles: too much for a terminal

  Section(std::string section_title, std::string section_note = "", Where shown = kEverywhere);
  void add(Block block);

  std::string title, note;
  Where where;
  std::vector<Block> blocks;
};

struct Block : std::variant<Lines, Figures, Table, Paragraph, Note, Lanes, Picture, DataFile,
                            Folded, Section> {
  using variant::variant;
  const variant& content() const { return *this; }
};

// Columns from titles: those at `text` are texts, the others numbers.
std::vector<Column> columns_of(const std::vector<std::string>& titles,
                               const std::vector<std::size_t>& text);

}  // namespace tern::app
