// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/sweep/sweep_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/kinds/format_name.h"
#include "sw/app/kinds/operands.h"
#include "sw/kernels/matmul_format.h"

namespace tern::app {

using config::YamlMap;
using config::YamlValue;
using numerics::DType;

std::string SweepWorkload::describe() const {
  return fmt::format("matmul [{0}, {1}]^T x [{0}, {2}] in {3} formats, PSUM in {4}", k, m, n,
                     formats.size(), numerics::dtype_name(psum));
}

SweepWorkload load_sweep(const YamlMap& top, std::uint64_t seed) {
  constexpr std::int64_t kMaxExtent = 65536;
  constexpr std::size_t kMaxElements = std::size_t{1} << 26, kMatrices = 4;
  SweepWorkload sweep;
  const auto extent = [&](const char* key, std::size_t* value) {
    *value = 1024;
    if (auto v = top.find(key)) *value = static_cast<std::size_t>(v->as_integer(1, kMaxExtent));
  };
  extent("m", &sweep.m);
  extent("k", &sweep.k);
  extent("n", &sweep.n);
  if (sweep.k * std::max(sweep.m, sweep.n) > kMaxElements)
    top.get("k").fail("operands of at most 2^26 elements");
  if (sweep.m * sweep.n > kMaxElements) top.get("m").fail("a result of at most 2^26 elements");
  std::vector<std::string> known;
  for (const auto& format : kernels::matmul_formats()) known.emplace_back(format.name);
  sweep.formats = known;
  if (auto v = top.find("formats")) {
    const auto items = v->as_list();
    if (items.empty()) v->fail("at least one format");
    sweep.formats.clear();
    for (const YamlValue& item : items) {
      sweep.formats.push_back(format_of(item, known));
      const auto end = sweep.formats.end() - 1;
      if (std::find(sweep.formats.begin(), end, *end) != end) item.fail("each format once");
    }
  }
  if (auto v = top.find("psum")) {
    sweep.psum = v->as_choice({"fp32", "bf16"}) == "bf16" ? DType::kBf16 : DType::kFp32;
  }
  sweep.a = random_values(kMatrices * sweep.k * sweep.m, seed);
  sweep.b = random_values(kMatrices * sweep.k * sweep.n, seed + 1);
  sweep.outputs = load_outputs(top);
  return sweep;
}

}  // namespace tern::app
