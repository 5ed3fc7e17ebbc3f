// SPDX-License-Identifier: Apache-2.0
// Transfers whose addresses the program computes: a word of SBUF moves a side.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/program/encoding.h"

namespace tern::kernels {

namespace {

// The last registers: loops number theirs from the first.
constexpr std::uint8_t kSourceRegister = 62, kDestinationRegister = 63;

}  // namespace

// Register = the word, then times the bytes of a step.
void KernelBuilder::load_offset(unsigned queue, std::uint8_t reg, const DynamicOffset& offset,
                                const char* name, SourceLine where) {
  const ViewChecks checks(chip_, where, name);
  const TileView& word = offset.word;
  checks.require(word.space == Space::kSbuf && word.partitions == 1 && word.elements() == 1 &&
                     (word.dtype == DType::kInt32 || word.dtype == DType::kUint32),
                 "offset: expected [1, 1] of int32 or uint32 in SBUF");
  tern_instruction_t load{};
  load.header.opcode = TERN_OPCODE_REGISTER_LOAD;
  load.register_memory.addr = pattern(word).addr;
  load.register_memory.reg = reg;
  emit(queue, load, name, {access_of(word, false)}, where);
  tern_instruction_t scale{};
  scale.header.opcode = TERN_OPCODE_REGISTER_ALU;
  scale.register_alu.dst = scale.register_alu.a = reg;
  scale.register_alu.op = TERN_REGISTER_OP_MULTIPLY;
  scale.register_alu.imm = static_cast<std::uint32_t>(offset.bytes);
  append(queue, scale, name, where);
}

void KernelBuilder::dma_copy_at(const DmaView& dst, const std::optional<DynamicOffset>& dst_offset,
                                const DmaView& src, const std::optional<DynamicOffset>& src_offset,
                                SourceLine where) {
  const char* name = "dma_copy_at";
  const ViewChecks checks(chip_, where, name);
  checks.require(iteration_ == nullptr, "not in a loop");
  checks.require(dst.dtype == src.dtype, "source and destination of different formats");
  check_side(dst, true, "destination", name, where);
  check_side(src, false, "source", name, where);
  DmaOptions options;
  options.descriptors = dst.in_hbm() ? Descriptors::kScalar : Descriptors::kSync;
  auto made = generated(dst, src, options, name, where);
  const unsigned queue = dst.in_hbm() ? TERN_QUEUE_SCALAR : TERN_QUEUE_SYNC;
  tern_instr_extend_t extension{};
  if (dst_offset) {
    load_offset(queue, kDestinationRegister, *dst_offset, name, where);
    extension.dst_reg = kDestinationRegister;
  }
  if (src_offset) {
    load_offset(queue, kSourceRegister, *src_offset, name, where);
    extension.src0_reg = kSourceRegister;
  }
  std::vector<HazardMap::Access> accesses;
  add_access(src, false, &accesses);
  add_access(dst, true, &accesses);
  generated_transfer(*made, options.priority, accesses, name, where, &extension);
}

}  // namespace tern::kernels
