// SPDX-License-Identifier: Apache-2.0
// Gather and scatter of rows by a column of indices.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_transfers.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kSlots = kGatherBytes / (2 * TERN_DESCRIPTOR_BYTES);

std::uint32_t sbuf_address(const TileView& view) {
  return view.partition << 24 | view.byte;
}

}  // namespace

void TransferCalls::dma_gather(const TileView& tile, const TensorView& table,
                               const TileView& indices, const IndirectOptions& options,
                               SourceLine where) {
  indirect(tile, table, indices, options, false, where);
}

void TransferCalls::dma_scatter(const TensorView& table, const TileView& tile,
                                const TileView& indices, const IndirectOptions& options,
                                SourceLine where) {
  indirect(tile, table, indices, options, true, where);
}

// There is memory for one ring.
void TransferCalls::reserve_generated_ring(unsigned ring, const char* name, SourceLine where) {
  if (program_.generated_rings.count(ring) != 0) return;
  for (const auto& entry : program_.generated_rings) {
    if (entry.second.slots == 0) continue;
    throw UserError(where.text() + ": " + name +
                    ": one priority for all gathers and scatters of a program");
  }
  const auto byte = static_cast<std::uint32_t>(chip_.core.sbuf_partition_bytes - kGatherBytes);
  if (!sbuf_.allocate_at(byte, kGatherBytes)) {
    throw UserError(where.text() + ": " + name +
                    ": its descriptors need the last 16 KiB of every SBUF partition, which a "
                    "tile holds");
  }
  program_.generated_rings[ring] = {kSlots, byte};
}

void TransferCalls::indirect(const TileView& tile, const TensorView& table, const TileView& indices,
                             const IndirectOptions& options, bool scatter, SourceLine where) {
  const char* name = scatter ? "dma_scatter" : "dma_gather";
  const ViewChecks checks(chip_, where, name);
  checks.require(iteration_ == nullptr, "not in a loop: loops have dma_load and dma_store");
  const DmaView data(tile), rows(table);
  check_side(data, !scatter, "tile", name, where);
  check_side(rows, scatter, "table", name, where);
  checks.require(table.dtype == tile.dtype,
                 "the table is " + std::string(numerics::dtype_name(table.dtype)) +
                     ", the tile is " + std::string(numerics::dtype_name(tile.dtype)));
  checks.require(data.has_contiguous_rows() && rows.has_contiguous_rows(),
                 "expected contiguous elements along the free axis");
  checks.require(rows.row_elements() == tile.elements(),
                 "rows of " + std::to_string(rows.row_elements()) + " elements do not fit " +
                     std::to_string(tile.elements()) + " elements per partition");
  checks.view(indices, false, "indices", 1);
  checks.require(
      indices.dtype == DType::kUint32 || indices.dtype == DType::kInt32,
      "indices: expected uint32 or int32, got " + std::string(numerics::dtype_name(indices.dtype)));
  checks.require(indices.space == Space::kSbuf && indices.elements() == 1 &&
                     indices.partitions == tile.partitions,
                 "indices: expected a column [" + std::to_string(tile.partitions) + ", 1] in SBUF");
  const std::uint64_t bytes = tile.elements() * data.element_bytes();
  checks.require(bytes <= TERN_DESCRIPTOR_MAX_LENGTH,
                 "rows of " + std::to_string(bytes) + " bytes: expected at most 64 KiB");
  checks.require(table.partitions <= UINT32_MAX && table.partition_pitch <= UINT32_MAX,
                 "the table has more than 2^32 rows, or rows further apart than 4 GiB");
  if (options.accumulate) check_write_op(scatter ? rows : data, name, where);

  checks.require(scatter || !options.distinct, "distinct rows: of a scatter");
  std::vector<HazardMap::Access> accesses = {access_of(indices, false)}, to_table;
  add_access(data, !scatter, &accesses);
  add_access(rows, scatter, &to_table);
  Started started =
      begin_transfer(DmaRings::Kind::kGpsimd, options.priority, name, accesses, where);
  use(to_table, name, where);
  for (const HazardMap::Access& access : to_table) {
    std::vector<Event> events;
    hazards_.collect(access, HazardMap::kDma, &events);
    // Everything before the first of distinct scatters has been waited for: one queue starts all.
    for (const Event& event : events) {
      if (!options.distinct || !rings_.counts(started.ring, event.semaphore))
        started.waits.push_back(event);
    }
  }
  accesses.insert(accesses.end(), to_table.begin(), to_table.end());
  reserve_generated_ring(started.ring, name, where);

  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_DMA_INDIRECT;
  tern_instr_dma_indirect_t& fields = instruction.dma_indirect;
  fields.rows = static_cast<std::uint32_t>(table.partitions);
  fields.pitch = static_cast<std::uint32_t>(table.partition_pitch);
  fields.length = static_cast<std::uint32_t>(bytes);
  fields.tile = sbuf_address(tile);
  fields.index = sbuf_address(indices);
  fields.partitions = static_cast<std::uint8_t>(tile.partitions);
  fields.ring = static_cast<std::uint8_t>(started.ring);
  fields.semaphore = static_cast<std::uint8_t>(started.semaphore);
  fields.direction = scatter ? TERN_DMA_DIRECTION_SCATTER : TERN_DMA_DIRECTION_GATHER;
  fields.bounds = options.skip_out_of_bounds ? TERN_BOUNDS_MODE_SKIP : TERN_BOUNDS_MODE_ERROR;
  if (options.accumulate) {
    fields.write_op = static_cast<std::uint8_t>(*add_write_op(tile.dtype));
  }
  append_with_waits(started.queue, instruction, name, waits_.reduce(started.queue, started.waits),
                    where);
  const auto index = static_cast<std::uint32_t>(program_.queues[started.queue].size() - 1);
  program_.links.push_back({started.queue, index, {}, rows.base});
  end_transfer(started, accesses);
}

}  // namespace tern::kernels
