// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::app {

// Curves over a logarithmic axis (powers of two) or a linear one. Values that are not finite are
// left out.
struct LineChart {
  struct Series {
    std::string name;
    std::vector<double> x, y;
  };
  struct Level {  // a horizontal line to compare with
    std::string name;
    double y = 0;
  };
  std::string title, x_label, y_label;
  std::vector<Series> series;
  std::vector<Level> levels;
  bool logarithmic = true;
  bool bytes = true;  // the values of a logarithmic axis
  // The values begin at zero. Else, where they are close to each other, below the least of them:
  // a beginning that is far off, as that of a training, is cut then.
  bool from_zero = true;
};
std::string line_chart_svg(const LineChart& chart);

// Points with names over a linear axis from zero; the values on a logarithmic one.
struct ScatterChart {
  struct Point {
    std::string name;
    double x = 0, y = 0;
  };
  std::string title, x_label, y_label;
  std::vector<Point> points;
};
std::string scatter_chart_svg(const ScatterChart& chart);

// Bars in groups side by side.
struct BarChart {
  struct Series {      // one colour: a value per group
    std::string name;  // empty: the only one, not in the legend
    std::vector<double> y;
  };
  std::string title, y_label;
  std::vector<std::string> groups;
  std::vector<Series> series;
};
// Several charts, one below the other.
std::string bar_charts_svg(const std::vector<BarChart>& charts);

}  // namespace tern::app
