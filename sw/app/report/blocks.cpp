// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/blocks.h"

#include <algorithm>

namespace tern::app {

std::string Picture::svg() const {
  struct Draw {
    std::string operator()(const LineChart& chart) const { return line_chart_svg(chart); }
    std::string operator()(const ScatterChart& chart) const { return scatter_chart_svg(chart); }
    std::string operator()(const std::vector<BarChart>& charts) const {
      return bar_charts_svg(charts);
    }
    std::string operator()(const std::string& svg) const { return svg; }
  };
  return std::visit(Draw{}, drawing);
}

Section::Section(std::string section_title, std::string section_note, Where shown)
    : title(std::move(section_title)), note(std::move(section_note)), where(shown) {}

void Section::add(Block block) {
  blocks.push_back(std::move(block));
}

std::vector<Column> columns_of(const std::vector<std::string>& titles,
                               const std::vector<std::size_t>& text) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < titles.size(); ++c) {
    const bool is_text = std::find(text.begin(), text.end(), c) != text.end();
    columns.push_back({titles[c], is_text ? Column::kText : Column::kNumber});
  }
  return columns;
}

}  // namespace tern::app
