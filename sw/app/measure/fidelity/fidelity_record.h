// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/measure/fidelity/figures.h"
#include "sw/app/report/report.h"

namespace tern::app {

struct MeasuredFigure {
  PublishedFigure figure;
  double ours = 0;
  double error() const { return ours / figure.published - 1; }
};

// Of the absolute errors of a set of figures.
struct ErrorSummary {
  std::size_t count = 0;
  double mean = 0, median = 0, largest = 0;
};

struct FidelityRecord {
  std::string version, command;
  std::vector<MeasuredFigure> figures;

  // Over the predicted ones but the chart's; over all points of the chart, whatever their kind.
  ErrorSummary predicted() const;
  ErrorSummary chart() const;
  bool complete = true;  // all figures were measured
};

// Aims of the model's time.
constexpr double kMeanAim = 0.10, kMedianAim = 0.05, kChartAim = 0.05;

Report report_of(const FidelityRecord& record);
// The table alone, as in docs/fidelity.md.
std::string markdown_of(const FidelityRecord& record);

}  // namespace tern::app
