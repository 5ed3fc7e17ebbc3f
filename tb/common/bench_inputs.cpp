// SPDX-License-Identifier: Apache-2.0
#include "tb/common/bench_inputs.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace tern::tb {

namespace {

std::vector<const BenchInputs*>& all() {
  static std::vector<const BenchInputs*> benches;
  return benches;
}

std::vector<std::string>& ended() {
  static std::vector<std::string> texts;
  return texts;
}

}  // namespace

BenchInputs::BenchInputs(std::function<std::string()> text)
    : text_(std::move(text)), exceptions_(std::uncaught_exceptions()) {
  all().push_back(this);
}

BenchInputs::~BenchInputs() {
  all().erase(std::find(all().begin(), all().end(), this));
  if (std::uncaught_exceptions() > exceptions_) ended().push_back(text_());
}

std::vector<std::string> BenchInputs::texts() {
  std::vector<std::string> texts = ended();
  for (const BenchInputs* bench : all()) texts.push_back(bench->text_());
  std::vector<std::string> different;
  for (std::string& text : texts) {
    const bool known = std::find(different.begin(), different.end(), text) != different.end();
    if (!text.empty() && !known) different.push_back(std::move(text));
  }
  return different;
}

void BenchInputs::forget() {
  ended().clear();
}

}  // namespace tern::tb
