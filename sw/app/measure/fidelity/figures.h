// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/app/measure/fidelity/fidelity_bench.h"

namespace tern::app {

// What a published figure says about the model.
enum class FigureKind {
  kInput,      // a key of the preset is this number, or was chosen by it
  kDerived,    // follows from documented numbers that are keys: the model must only not lose it
  kPredicted,  // nothing was chosen by it
};
const char* figure_kind_name(FigureKind kind);

struct PublishedFigure {
  std::string id;
  FigureKind kind = FigureKind::kPredicted;
  std::string chip, what, unit;
  double published = 0;
  std::string source;  // the public page
  std::function<double(FidelityBench&)> measure;
  bool chart = false;    // a point of the DMA overview's chart
  std::string key = {};  // of an input: the setting that it chose, or a rule that is none
};

std::vector<PublishedFigure> published_figures();

}  // namespace tern::app
