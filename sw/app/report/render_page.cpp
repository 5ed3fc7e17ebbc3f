// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sw/app/report/html_page.h"
#include "sw/app/report/render.h"

namespace tern::app {
namespace {

class PageRenderer {
 public:
  explicit PageRenderer(HtmlPage* page) : page_(*page) {}

  void add(const Block& block) { std::visit(*this, block.content()); }

  void operator()(const Lines& lines) {
    if (lines.empty()) return;
    const bool judged =
        std::any_of(lines.begin(), lines.end(), [](const Line& l) { return l.ok.has_value(); });
    Table table{{{"what"}, {"result"}}, {}};
    if (judged) table.columns.push_back({"verdict"});
    for (const Line& line : lines) {
      Row row = {line.label, line.value};
      if (line.ok)
        row.emplace_back(*line.ok ? "ok" : "FAILED", *line.ok ? Cell::kGood : Cell::kBad);
      table.rows.push_back(row);
    }
    page_.table(table);
  }
  void operator()(const Figures& figures) { page_.figures(figures); }
  void operator()(const Table& table) { page_.table(table); }
  void operator()(const Paragraph& paragraph) { page_.paragraph(paragraph.text); }
  void operator()(const Note& note) { page_.note(note.text); }
  void operator()(const Lanes& lanes) { page_.lanes(lanes); }
  void operator()(const Picture& picture) { page_.picture(picture.svg(), picture.caption); }
  void operator()(const DataFile& data) {
    data_files_ += (data_files_.empty() ? "" : ", ") + data.file;
  }
  void operator()(const Folded& folded) {
    page_.open_fold(folded.title);
    for (const Block& block : folded.blocks) add(block);
    page_.close_fold();
  }
  void operator()(const Section& section) {
    page_.section(section.title, section.note);
    for (const Block& block : section.blocks) add(block);
  }

  const std::string& data_files() const { return data_files_; }

 private:
  HtmlPage& page_;
  std::string data_files_;
};

}  // namespace

std::string page_of(const Report& report) {
  HtmlPage page(report.title, report.subtitle);
  if (report.verdict) page.verdict(report.verdict->good, report.verdict->text);
  PageRenderer renderer(&page);
  for (const Block& block : report.blocks) renderer.add(block);
  if (!report.chips.empty()) renderer.add(chips_section(report));
  Lines files = report.last_lines;
  if (!renderer.data_files().empty()) files.push_back({"tables as data", renderer.data_files()});
  page.how_it_ran(report.how, files);
  return page.html();
}

}  // namespace tern::app
