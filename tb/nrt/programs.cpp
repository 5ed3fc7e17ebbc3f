// SPDX-License-Identifier: Apache-2.0
#include "tb/nrt/programs.h"

#include "sw/config/load_chip_config.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul.h"
#include "sw/runtime/program_file.h"
#include "sw/spec/generated/address_map.h"
#include "tb/core/bench/program.h"

namespace tern::tb {

namespace {

using kernels::KernelBuilder;
using numerics::DType;
using runtime::ProgramFile;
using runtime::save_program;

Executable twice(unsigned part, unsigned parts, unsigned free) {
  KernelBuilder kb("twice", trn3());
  if (parts > 1) kb.join_cores(part, parts);
  const auto in = kb.input("x", DType::kFp32, {128 * parts, free});
  const auto out = kb.output("y", DType::kFp32, {128 * parts, free});
  const auto x = kb.sbuf_tile("x", 128, free, DType::kFp32);
  const auto y = kb.sbuf_tile("y", 128, free, DType::kFp32);
  kb.dma_load(x, in.view(part * 128, 128, 0, free));
  kb.tensor_tensor(y, x, kernels::Alu::kAdd, x);
  kb.dma_store(out.view(part * 128, 128, 0, free), y);
  return kb.finish();
}

std::string file_of(const std::string& name, const Program& vector_queue) {
  Executable program;
  program.name = name;
  program.queues[TERN_QUEUE_VECTOR] = vector_queue;
  return save_program({trn3().name, {program}});
}

}  // namespace

const ChipConfig& trn3() {
  static const ChipConfig config = load_chip_config("trn3").chip;
  return config;
}

std::string product_file(unsigned m, unsigned k, unsigned n) {
  kernels::MatmulSpec spec;
  spec.m = m, spec.k = k, spec.n = n;
  return save_program({trn3().name, {kernels::build_matmul(spec, trn3())}});
}

std::string twice_file(unsigned parts, unsigned free) {
  ProgramFile file{trn3().name, {}};
  for (unsigned part = 0; part < parts; ++part) file.parts.push_back(twice(part, parts, free));
  return save_program(file);
}

std::string ranks_file() {
  return save_program({trn3().name, {twice(0, 1, 64)}, true});
}

std::string stuck_file() {
  return file_of("stuck", {waits(nop(), TERN_WAIT_COND_GE, 3, 1), halt()});
}

std::string bad_file() {
  tern_instruction_t bad = nop();
  bad.header.opcode = 0xEE;
  return file_of("bad", {bad, halt()});
}

std::string stray_file() {
  Executable program = twice(0, 1, 64);
  program.name = "stray";
  for (auto& ring : program.rings) {
    for (auto& engine : ring.second) {
      engine.change([](std::size_t, DescriptorPair& pair) {
        if (pair.source.space == DmaAddress::Space::kTensor)
          pair.source = {DmaAddress::Space::kChip, 0, 15 * TERN_HBM_STRIDE};
      });
    }
  }
  for (Executable::Link& link : program.links) {
    if (link.source.space == DmaAddress::Space::kTensor)
      link.source = {DmaAddress::Space::kChip, 0, 15 * TERN_HBM_STRIDE};
  }
  return save_program({trn3().name, {program}});
}

}  // namespace tern::tb
