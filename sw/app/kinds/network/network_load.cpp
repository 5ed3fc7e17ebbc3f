// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/network_load.h"

#include <algorithm>

#include "sw/app/kinds/format_name.h"
#include "sw/app/kinds/operands.h"
#include "sw/kernels/matmul_format.h"

namespace tern::app {
namespace {

// All but those that prune an operand, or take four products at once.
std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& format : kernels::matmul_formats()) {
    const bool own = format.mode != kernels::TensorMode::kSparse && format.products() == 1;
    if (own) names.emplace_back(format.name);
  }
  return names;
}

}  // namespace

std::optional<ExpectedOutput> load_expected(const config::YamlMap& expect,
                                            const data::Shape& shape) {
  const auto output = expect.find("output");
  if (!output) return std::nullopt;
  ExpectedOutput expected;
  expected.path = output->as_path();
  expected.values = read_matrix(*output, shape).values;
  expected.tolerance = expect.get("tolerance").as_number(0, 1e9);
  return expected;
}

void load_formats(const config::YamlMap& top, const std::string& key,
                  std::vector<std::string>* formats) {
  const std::vector<std::string> known = format_names();
  const auto one = top.find(key);
  const auto several = top.find("formats");
  if (one && several) several->fail("only one of '" + key + "' and 'formats'");
  if (one) *formats = {format_of(*one, known)};
  if (!several) return;
  formats->clear();
  for (const auto& item : several->as_list()) {
    const std::string name = format_of(item, known);
    if (std::find(formats->begin(), formats->end(), name) != formats->end())
      item.fail("each format once");
    formats->push_back(name);
  }
  if (formats->empty()) several->fail("at least one format");
}

}  // namespace tern::app
