// SPDX-License-Identifier: Apache-2.0
#include "tb/chips/chips_bench.h"

#include <numeric>

namespace tern::tb {

using kernels::DType;
using kernels::KernelBuilder;

ChipsBench::ChipsBench(const char* name, unsigned chips)
    : fabric(system::load_system(name)), config(load_chip_config("trn3").chip) {
  auto transport = std::make_unique<PipeTransport>(kPipeLatency);
  pipe = transport.get();
  std::vector<std::uint32_t> numbers(chips);
  std::iota(numbers.begin(), numbers.end(), 0);
  chip_system = std::make_unique<ChipSystem>(fabric, numbers, config, std::move(transport));
}

runtime::Runtime& ChipsBench::runtime(unsigned chip) {
  auto& runtime = runtimes[chip];
  if (!runtime) runtime = std::make_unique<runtime::Runtime>(chip_system->chip(chip).host());
  return *runtime;
}

Executable sum_part(const ChipConfig& chip, unsigned part, unsigned parts, unsigned columns,
                    bool anywhere) {
  KernelBuilder kb("sum", chip);
  anywhere ? kb.join_parts(part, parts) : kb.join_cores(part, parts);
  const auto x = kb.input("x", DType::kFp32, {128, columns});
  const auto y = kb.output("y", DType::kFp32, {128, columns});
  const kernels::Tile tile = kb.sbuf_tile("x", 128, columns, DType::kFp32);
  kb.dma_load(tile, x.view(0, 128, 0, columns));
  kb.core_sum({tile});
  kb.dma_store(y.view(0, 128, 0, columns), tile);
  return kb.finish();
}

std::vector<Values> sums(ChipsBench& bench,
                         const std::vector<std::pair<unsigned, unsigned>>& places,
                         const std::vector<Values>& x, bool anywhere) {
  const auto parts = static_cast<unsigned>(places.size());
  const auto columns = static_cast<unsigned>(x[0].size() / 128);
  std::vector<std::uint64_t> windows;
  windows.reserve(places.size());
  for (const auto& [chip, core] : places) windows.push_back(bench.chip_system->window(chip, core));
  struct Part {
    runtime::Runtime* runtime = nullptr;  // of its chip
    runtime::Buffer x, y;
    std::unique_ptr<runtime::Program> program;
  };
  std::vector<Part> all(parts);
  for (unsigned i = 0; i < parts; ++i) {
    Part& part = all[i];
    const auto [chip, core] = places[i];
    part.runtime = &bench.runtime(chip);
    part.x = part.runtime->allocate("x", 4 * x[i].size(), core);
    part.y = part.runtime->allocate("y", 4 * x[i].size(), core);
    part.runtime->copy_to_device(part.x, x[i].data(), 4 * x[i].size());
    const runtime::Runtime::Bindings bindings{{"x", &part.x}, {"y", &part.y}};
    Executable program = sum_part(bench.config, i, parts, columns, anywhere);
    part.program = std::make_unique<runtime::Program>(
        anywhere ? part.runtime->load(std::move(program), bindings, core, windows)
                 : part.runtime->load(std::move(program), bindings, core, 0));
  }
  for (unsigned i = parts; i-- > 0;) all[i].runtime->execute(*all[i].program);
  std::vector<Values> y(parts, Values(x[0].size()));
  for (unsigned i = 0; i < parts; ++i) {
    all[i].runtime->wait(*all[i].program);
    all[i].runtime->copy_from_device(all[i].y, y[i].data(), 4 * y[i].size());
  }
  return y;
}

}  // namespace tern::tb
