// SPDX-License-Identifier: Apache-2.0
#include "tb/chips/chips_bench.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "tb/common/seed.h"

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

std::vector<Values> random_values(unsigned parts, unsigned columns) {
  std::mt19937 random(test_seed());
  std::vector<Values> x(parts, Values(128 * std::size_t{columns}));
  for (Values& values : x) {
    for (float& v : values)
      v = static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) / 3.0f;
  }
  return x;
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

std::vector<Values> sums(ChipsBench& bench, const Places& places, const std::vector<Values>& x,
                         bool anywhere) {
  return run_parts(bench, places, x, anywhere, [&](unsigned part) {
    return sum_part(bench.config, part, static_cast<unsigned>(places.size()),
                    static_cast<unsigned>(x[0].size() / 128), anywhere);
  });
}

std::vector<Values> run_parts(ChipsBench& bench, const Places& places, const std::vector<Values>& x,
                              bool anywhere, const std::function<Executable(unsigned)>& program,
                              double* us) {
  const auto parts = static_cast<unsigned>(places.size());
  std::vector<std::uint64_t> windows;
  windows.reserve(places.size());
  for (const auto& [chip, core] : places) windows.push_back(bench.chip_system->window(chip, core));
  struct Part {
    runtime::Runtime* runtime = nullptr;  // of its chip
    Executable executable;
    std::map<std::string, runtime::Buffer> buffers;
    std::unique_ptr<runtime::Program> program;
  };
  std::vector<Part> all(parts);
  for (unsigned i = 0; i < parts; ++i) {
    Part& part = all[i];
    const auto [chip, core] = places[i];
    part.runtime = &bench.runtime(chip);
    part.executable = program(i);
    for (const TensorInfo& tensor : part.executable.tensors) {
      const auto buffer = part.buffers.emplace(
          tensor.name, part.runtime->allocate(tensor.name, tensor.bytes(), core));
      std::vector<std::uint8_t> bytes(tensor.bytes());
      if (tensor.name == "x") std::memcpy(bytes.data(), x[i].data(), bytes.size());
      part.runtime->copy_to_device(buffer.first->second, bytes.data(), bytes.size());
    }
  }
  const auto tensor_of = [&](unsigned part, const std::string& tensor) {
    return bench.chip_system->address(places[part].first, all[part].buffers.at(tensor).address());
  };
  for (unsigned i = 0; i < parts; ++i) {
    Part& part = all[i];
    runtime::Runtime::Bindings bindings;
    for (const auto& [name, buffer] : part.buffers) bindings[name] = &buffer;
    const unsigned core = places[i].second;
    part.program = std::make_unique<runtime::Program>(
        anywhere
            ? part.runtime->load(std::move(part.executable), bindings, core, windows, tensor_of)
            : part.runtime->load(std::move(part.executable), bindings, core, 0));
  }
  for (unsigned i = parts; i-- > 0;) all[i].runtime->execute(*all[i].program);
  std::vector<Values> y(parts, Values(x[0].size()));
  sc_core::sc_time start, end;
  for (unsigned i = 0; i < parts; ++i) {
    const runtime::RunResult result = all[i].runtime->wait(*all[i].program);
    if (i == 0) start = result.start;  // the last that the host has started
    end = std::max(end, result.end);
  }
  for (unsigned i = 0; i < parts; ++i) {
    all[i].runtime->copy_from_device(all[i].buffers.at("y"), y[i].data(), 4 * y[i].size());
  }
  if (us != nullptr) *us = (end - start).to_seconds() * 1e6;
  return y;
}

}  // namespace tern::tb
