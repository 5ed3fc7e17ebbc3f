// SPDX-License-Identifier: Apache-2.0
#include "tb/common/bench_inputs.h"

#include <algorithm>
#include <utility>

namespace tern::tb {

namespace {

std::vector<const BenchInputs*>& all() {
  static std::vector<const BenchInputs*> benches;
  return benches;
}

}  // namespace

BenchInputs::BenchInputs(std::function<std::string()> text) : text_(std::move(text)) {
  all().push_back(this);
}

BenchInputs::~BenchInputs() {
  all().erase(std::find(all().begin(), all().end(), this));
}

std::vector<std::string> BenchInputs::texts() {
  std::vector<std::string> texts;
  for (const BenchInputs* bench : all()) {
    std::string text = bench->text_();
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace tern::tb
