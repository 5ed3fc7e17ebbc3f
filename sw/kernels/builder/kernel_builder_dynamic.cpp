// SPDX-License-Identifier: Apache-2.0
// Addresses that the program computes: registers, and transfers and operands that they move.
#include <utility>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_transfers.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/program/encoding.h"

namespace tern::kernels {

namespace {

constexpr unsigned kSourceRegister = 62, kDestinationRegister = 63;
constexpr unsigned kScratchRegister = 60;  // between two instructions
constexpr unsigned kSkip[] = {57, 58};     // whether a side is out of bounds: source, destination

tern_instruction_t alu(unsigned op, unsigned dst, unsigned a, unsigned b, std::uint32_t value) {
  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_REGISTER_ALU;
  tern_instr_register_alu_t& fields = instruction.register_alu;
  fields.dst = static_cast<std::uint8_t>(dst);
  fields.a = static_cast<std::uint8_t>(a);
  fields.b = static_cast<std::uint8_t>(b);
  fields.op = static_cast<std::uint8_t>(op);
  fields.imm = value;
  return instruction;
}

tern_instruction_t memory(unsigned opcode, unsigned reg, const TileView& word) {
  tern_instruction_t instruction{};
  instruction.header.opcode = static_cast<std::uint8_t>(opcode);
  instruction.register_memory.addr = pattern(word).addr;
  instruction.register_memory.reg = static_cast<std::uint8_t>(reg);
  return instruction;
}

void check_word(const ViewChecks& checks, const TileView& word) {
  checks.require(word.space == Space::kSbuf && word.partitions == 1 && word.elements() == 1 &&
                     (word.dtype == DType::kInt32 || word.dtype == DType::kUint32),
                 "offset: expected [1, 1] of int32 or uint32 in SBUF");
}

}  // namespace

void RegisterCalls::register_alu(unsigned queues, unsigned op, unsigned dst, unsigned a, unsigned b,
                                 std::uint32_t value, SourceLine where) {
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    if ((queues >> queue & 1) != 0) append(queue, alu(op, dst, a, b, value), "register_alu", where);
  }
}

void RegisterCalls::register_load(unsigned queues, unsigned dst, const TileView& word,
                                  SourceLine where) {
  const char* name = "register_load";
  check_word(ViewChecks(chip_, where, name), word);
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    if ((queues >> queue & 1) == 0) continue;
    emit(queue, memory(TERN_OPCODE_REGISTER_LOAD, dst, word), name, {access_of(word, false)},
         where);
  }
}

void RegisterCalls::register_store(const TileView& word, unsigned reg, SourceLine where) {
  const char* name = "register_store";
  check_word(ViewChecks(chip_, where, name), word);
  emit(TERN_QUEUE_SYNC, memory(TERN_OPCODE_REGISTER_STORE, reg, word), name,
       {access_of(word, true)}, where);
}

// The core refuses a branch out of the program.
void RegisterCalls::check_offset(unsigned queue, unsigned reg, const DynamicOffset& offset,
                                 const char* name, SourceLine where) {
  append(queue,
         alu(TERN_REGISTER_OP_ADD, kScratchRegister, reg, 0,
             static_cast<std::uint32_t>(-std::int64_t{offset.lowest})),
         name, where);
  const std::string text = std::string(name) + ": " + offset.what;
  tern_instruction_t branch{};
  branch.header.opcode = TERN_OPCODE_BRANCH;
  branch.branch.cond = TERN_BRANCH_COND_GEU;
  branch.branch.a = kScratchRegister;
  branch.branch.imm = offset.count;
  branch.branch.target = INT32_MAX;
  append(queue, branch, text.c_str(), where);
}

// Register = the value, then times the bytes of a step.
void RegisterCalls::load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset,
                                const char* name, SourceLine where) {
  unsigned value = offset.reg;
  if (value == 0) {
    check_word(ViewChecks(chip_, where, name), offset.word);
    emit(queue, memory(TERN_OPCODE_REGISTER_LOAD, reg, offset.word), name,
         {access_of(offset.word, false)}, where);
    value = reg;
  }
  if (offset.count != 0 && offset.skip) {
    append(queue,
           alu(TERN_REGISTER_OP_ADD, kSkip[reg == kDestinationRegister], value, 0,
               static_cast<std::uint32_t>(-std::int64_t{offset.lowest})),
           name, where);
  } else if (offset.count != 0) {
    check_offset(queue, value, offset, name, where);
  }
  append(queue,
         alu(TERN_REGISTER_OP_MULTIPLY, reg, value, 0, static_cast<std::uint32_t>(offset.bytes)),
         name, where);
}

void RegisterCalls::load_offset(unsigned queue, unsigned reg, const DynamicOffset& offset,
                                SourceLine where) {
  load_offset(queue, reg, offset, "load_offset", where);
}

void TransferCalls::dma_copy_at(const DmaView& dst, const std::optional<DynamicOffset>& dst_offset,
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
  std::vector<tern_instruction_t> skips;
  for (const auto& [offset, reg] :
       {std::pair(&dst_offset, kSkip[1]), std::pair(&src_offset, kSkip[0])}) {
    if (!*offset || !(*offset)->skip || (*offset)->count == 0) continue;
    tern_instruction_t branch{};
    branch.header.opcode = TERN_OPCODE_BRANCH;
    branch.branch.cond = TERN_BRANCH_COND_GEU;
    branch.branch.a = static_cast<std::uint8_t>(reg);
    branch.branch.imm = (*offset)->count;
    skips.push_back(branch);
  }
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
  generated_transfer(*made, options.priority, accesses, name, where, &extension, skips);
}

}  // namespace tern::kernels
