// SPDX-License-Identifier: Apache-2.0
// Programs of the GpSimd processors.
#include <algorithm>

#include "sw/base/elf_file.h"
#include "sw/kernels/builder/builder_gpsimd.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

constexpr const char* kName = "custom_op";
constexpr unsigned kProcessors = 8, kLanes = 16;  // partitions of a processor

void check_file(const ViewChecks& checks, const Blob& program) {
  try {
    const base::ElfFile file(program.bytes);
  } catch (const base::ElfError& error) {
    checks.fail("program '" + program.name + "': " + error.what());
  }
}

// Any rectangle of SBUF on partitions of the selected processors.
void check_region(const ViewChecks& checks, const TileView& view, unsigned processors,
                  const std::string& role, std::uint64_t partition_bytes) {
  const std::string what = role + " " + shape_text(view);
  checks.require(view.space == Space::kSbuf, what + ": processors reach SBUF only");
  const Box box = access_of(view, false).box;
  checks.require(box.x0 <= box.x1 && box.x1 <= partition_bytes,
                 what + ": leaves its partition of " + std::to_string(partition_bytes) + " bytes");
  for (unsigned p = view.partition; p < view.partition + view.partitions; ++p) {
    checks.require(p / kLanes < kProcessors && (processors >> (p / kLanes) & 1) != 0,
                   what + ": partition " + std::to_string(p) + " belongs to processor " +
                       std::to_string(p / kLanes) + ", which is not selected");
  }
}

}  // namespace

void GpsimdCalls::custom_op(const Blob& program, unsigned processors,
                            const std::vector<std::uint32_t>& arguments,
                            const std::vector<TileView>& reads, const std::vector<TileView>& writes,
                            SourceLine where) {
  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_CUSTOM_OP;
  tern_instr_custom_op_t& fields = instruction.custom_op;
  const ViewChecks checks(chip_, where, kName);
  checks.require(processors >= 1 && processors < 1u << kProcessors,
                 "processors " + std::to_string(processors) + ": expected a mask from 1 to 255");
  checks.require(arguments.size() <= std::size(fields.args),
                 std::to_string(arguments.size()) + " arguments: expected at most 8");
  std::vector<HazardMap::Access> accesses;
  for (const TileView& view : reads) {
    check_region(checks, view, processors, "operand", chip_.core.sbuf_partition_bytes);
    accesses.push_back(access_of(view, false));
  }
  for (const TileView& view : writes) {
    check_region(checks, view, processors, "result", chip_.core.sbuf_partition_bytes);
    accesses.push_back(access_of(view, true));
  }

  auto blob = std::find_if(program_.blobs.begin(), program_.blobs.end(),
                           [&](const Blob& other) { return other.name == program.name; });
  if (blob == program_.blobs.end()) {
    check_file(checks, program);
    blob = program_.blobs.insert(blob, program);
  }
  checks.require(blob->bytes == program.bytes,
                 "program '" + program.name + "': another file of this name is in use");
  fields.code_lo = static_cast<std::uint32_t>(blob - program_.blobs.begin());
  fields.code_bytes = static_cast<std::uint32_t>(program.bytes.size());
  fields.cores = static_cast<std::uint8_t>(processors);
  std::copy(arguments.begin(), arguments.end(), fields.args);
  emit(TERN_QUEUE_GPSIMD, instruction, kName, accesses, where);
}

}  // namespace tern::kernels
