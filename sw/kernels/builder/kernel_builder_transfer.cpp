// SPDX-License-Identifier: Apache-2.0
// Transfers between any two locations: copies, transposes, operations in transit, addition near the
// memory.
#include <algorithm>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_transfers.h"
#include "sw/kernels/builder/element/view_checks.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

namespace {

constexpr std::uint64_t kBeatBytes = TERN_DMA_BEAT_BYTES;

[[noreturn]] void fail(SourceLine where, const std::string& name, const std::string& message) {
  throw UserError(where.text() + ": " + name + ": " + message);
}

std::string shape(const DmaView& view) {
  std::string text = "[";
  for (const DmaView::Dim& dim : view.dims) {
    if (dim.count == 1 && &dim != &view.dims.front() && &dim != &view.dims.back()) continue;
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim.count);
  }
  return text + "]";
}

std::string format(const DmaView& view) {
  return std::string(numerics::dtype_name(view.dtype));
}

DmaPattern matched(const DmaView& dst, const DmaView& src, const char* name, SourceLine where) {
  if (dst.dtype != src.dtype) {
    fail(where, name, "from " + format(src) + " to " + format(dst) + ": dma_cast converts");
  }
  if (dst.elements() != src.elements()) {
    fail(where, name, "source " + shape(src) + " does not fit the destination " + shape(dst));
  }
  const auto pattern = match(dst, src);
  if (!pattern) {
    fail(where, name,
         "no pattern fits both source " + shape(src) + " and destination " + shape(dst) +
             ": dimensions of one must divide those of the other");
  }
  return *pattern;
}

// Transfers that generators do not make, or only when told to.
bool made_by_host(const DmaOptions& options) {
  return options.descriptors != Descriptors::kSync && options.descriptors != Descriptors::kScalar;
}

constexpr std::size_t kDimensions = std::size(tern_instr_dma_copy_t{}.count);

// Fewer rows than engines: parts of the rows become the outermost dimension, so that all engines
// take part.
void spread_few_rows(std::vector<DmaPattern::Dim>* dims, std::uint64_t* run) {
  const std::uint64_t rows = dims->back().count;
  if (rows >= Executable::kEngines || (rows > 1 && dims->size() == kDimensions)) return;
  for (std::uint64_t parts = Executable::kEngines; parts > 1; --parts) {
    const std::uint64_t part = *run / parts;
    if (*run % (parts * kBeatBytes) != 0 || part < TERN_DMA_SMALLEST_PIECE) continue;
    if (rows == 1) dims->pop_back();
    const auto pitch = static_cast<std::int64_t>(part);
    dims->push_back({parts, pitch, pitch});
    *run = part;
    return;
  }
}

// The dimensions of a dma_copy around its run: rows outermost, which spreads them over the engines.
// False if there are too many.
bool fill_dimensions(const DmaPattern& pattern, tern_instr_dma_copy_t* fields) {
  std::vector<DmaPattern::Dim> dims;  // from the innermost
  std::uint64_t run = pattern.run;
  if (run > TERN_DESCRIPTOR_MAX_LENGTH) {
    std::uint64_t parts = ceil_div(run, TERN_DESCRIPTOR_MAX_LENGTH);
    while (run % parts != 0) ++parts;
    run /= parts;
    dims.push_back({parts, static_cast<std::int64_t>(run), static_cast<std::int64_t>(run)});
  }
  dims.insert(dims.end(), pattern.dims.begin(), pattern.dims.end());
  spread_few_rows(&dims, &run);
  if (dims.back().count == 1 && dims.size() > 1) dims.pop_back();
  if (dims.size() > kDimensions) return false;
  dims.insert(dims.end() - 1, kDimensions - dims.size(), {1, 0, 0});
  for (std::size_t d = 0; d < kDimensions; ++d) {
    const DmaPattern::Dim& dim = dims[d];
    const auto fits = [](std::int64_t stride) {
      return stride >= INT32_MIN && stride <= INT32_MAX;
    };
    if (dim.count > UINT16_MAX || !fits(dim.dst) || !fits(dim.src)) return false;
    const bool repeats = dim.count > 1;
    fields->count[d] = static_cast<std::uint16_t>(dim.count);
    fields->dst_stride[d] = repeats ? static_cast<std::int32_t>(dim.dst) : 0;
    fields->src_stride[d] = repeats ? static_cast<std::int32_t>(dim.src) : 0;
  }
  fields->length = static_cast<std::uint16_t>(run % TERN_DESCRIPTOR_MAX_LENGTH);
  return true;
}

}  // namespace

bool TransferCalls::generator_takes(const DmaView& dst, const DmaView& src) {
  const auto pattern = match(dst, src);
  tern_instr_dma_copy_t fields{};
  return pattern && fill_dimensions(*pattern, &fields);
}

void TransferCalls::check_side(const DmaView& view, bool write, const char* role, const char* name,
                               SourceLine where) const {
  const std::string what = std::string(role) + " " + shape(view);
  if (view.elements() == 0) fail(where, name, what + ": expected at least one element");
  if (view.tile) {
    if (view.tile->space != Space::kSbuf) fail(where, name, what + ": DMA reaches SBUF, not PSUM");
    const Box box = access_of(*view.tile, write).box;
    if (box.x0 > box.x1 || box.x1 > chip_.core.sbuf_partition_bytes) {
      fail(where, name, what + ": leaves its partition");
    }
    for (unsigned d = 0; write && d < TileView::kDimensions; ++d) {
      const Dimension dimension = view.tile->dimension(d);
      if (dimension.count > 1 && dimension.step == 0) {
        fail(where, name, what + ": written through a broadcast view");
      }
    }
    return;
  }
  const TensorInfo& info = program_.tensors[view.tensor->tensor];
  if (!write) return;
  if (info.kind != TensorInfo::Kind::kOutput && info.kind != TensorInfo::Kind::kScratch) {
    fail(where, name, "tensor '" + info.name + "': it is an input");
  }
  if (view.tensor->partition_pitch == 0 && view.tensor->partitions > 1) {
    fail(where, name, "tensor '" + info.name + "': several partitions into one row");
  }
}

void TransferCalls::check_write_op(const DmaView& dst, const char* name, SourceLine where) const {
  if (!chip_.dma.near_memory_add) fail(where, name, chip_.name + " does not add near the memory");
  if (!add_write_op(dst.dtype)) {
    fail(where, name, "adds fp32, bf16 or e4m3fn near the memory, not " + format(dst));
  }
}

// Data that the program never writes needs no waits.
void TransferCalls::add_access(const DmaView& view, bool write,
                               std::vector<HazardMap::Access>* accesses) const {
  if (view.tensor && !write) {
    const TensorInfo::Kind kind = program_.tensors[view.tensor->tensor].kind;
    if (kind == TensorInfo::Kind::kInput || kind == TensorInfo::Kind::kWeight) return;
  }
  accesses->push_back(view.access(write));
}

// Descriptors by the host: into SBUF on the Sync queue, otherwise on the GpSimd queue.
void TransferCalls::host_transfer(const DmaView& dst, const std::vector<DmaView>& sources,
                                  bool reads_dst, const DmaOptions& options, const char* name,
                                  SourceLine where, const MakePlan& plan) {
  if (iteration_ != nullptr) fail(where, name, "not in a loop: loops have dma_load and dma_store");
  std::vector<HazardMap::Access> accesses;
  for (const DmaView& source : sources) add_access(source, false, &accesses);
  if (reads_dst) add_access(dst, false, &accesses);
  add_access(dst, true, &accesses);
  const auto kind = dst.in_hbm() ? DmaRings::Kind::kStore : DmaRings::Kind::kLoad;
  const Started started = begin_transfer(kind, options.priority, name, accesses, where);
  const std::string what =
      std::string(name) +
      (dst.in_hbm() ? " to tensor '" + program_.tensors[dst.base.tensor].name + "'" : " to SBUF");
  trigger(started, append_pairs(started.ring, plan(started.semaphore), what, where), name, where);
  end_transfer(started, accesses);
}

std::optional<TransferCalls::Generated> TransferCalls::generated(const DmaView& dst,
                                                                 const DmaView& src,
                                                                 const DmaOptions& options,
                                                                 const std::string& what,
                                                                 SourceLine where) const {
  const bool explicitly =
      options.descriptors == Descriptors::kSync || options.descriptors == Descriptors::kScalar;
  if (options.descriptors == Descriptors::kGpsimd) {
    Generated result{DmaRings::Kind::kGpsimdCopies, {}, dst.base, src.base};
    const auto pattern = match(dst, src);
    if (pattern && fill_dimensions(*pattern, &result.fields)) return result;
    return std::nullopt;
  }
  if (!explicitly) {
    const std::uint64_t row_bytes = dst.row_elements() * dst.element_bytes();
    const bool by_host =
        options.descriptors == Descriptors::kHost ||
        chip_.dma.descriptors == DescriptorChoice::kHost ||
        (chip_.dma.descriptors == DescriptorChoice::kByLength && row_bytes < kLongRow);
    if (by_host || !chip_.dma.hwdge) return std::nullopt;
  }
  if (!chip_.dma.hwdge) fail(where, what, chip_.name + " has no descriptor generators");
  Generated result;
  const bool scalar = options.descriptors == Descriptors::kChip
                          ? dst.in_hbm()
                          : options.descriptors == Descriptors::kScalar ||
                                options.descriptors == Descriptors::kChipScalar;
  result.kind = scalar ? DmaRings::Kind::kScalar : DmaRings::Kind::kSync;
  result.destination = dst.base;
  result.source = src.base;
  const auto pattern = match(dst, src);
  if (pattern && fill_dimensions(*pattern, &result.fields)) return result;
  if (!explicitly) return std::nullopt;
  fail(where, what,
       "source " + shape(src) + " to " + shape(dst) + " takes more than three dimensions of " +
           "65535 around a contiguous run: Descriptors::kHost can do it");
}

// Where a transfer that is left out leads: it counts as complete when those before it on its ring
// are.
void TransferCalls::append_skipped(const Started& started, const char* name, SourceLine where) {
  tern_instruction_t over{}, skipped{};
  over.header.opcode = TERN_OPCODE_BRANCH;
  over.branch.cond = TERN_BRANCH_COND_ALWAYS;
  over.branch.target = 2;
  append(started.queue, over, name, where);
  skipped.header.opcode = TERN_OPCODE_NOP;
  if (const std::optional<Event>& last = rings_.last(started.ring)) {
    skipped.header.wait_cond = TERN_WAIT_COND_GE;
    skipped.header.wait_sem = static_cast<std::uint8_t>(last->semaphore);
    skipped.header.wait_value = last->value;
  }
  skipped.header.upd_sem = static_cast<std::uint8_t>(started.semaphore);
  skipped.header.upd_op = TERN_UPD_OP_ADD_IMM;
  skipped.header.upd_value = Executable::kEngines;
  append(started.queue, skipped, name, where);
}

// Descriptors by the generator of a queue.
void TransferCalls::generated_transfer(const Generated& generated, unsigned priority,
                                       const std::vector<HazardMap::Access>& accesses,
                                       const char* name, SourceLine where,
                                       const tern_instr_extend_t* extension,
                                       std::vector<tern_instruction_t> skips) {
  const Started started = begin_transfer(generated.kind, priority, name, accesses, where);
  program_.generated_rings[started.ring] = {};
  tern_instruction_t instruction{};
  instruction.dma_copy = generated.fields;
  instruction.dma_copy.ring = static_cast<std::uint8_t>(started.ring);
  instruction.dma_copy.semaphore = static_cast<std::uint8_t>(started.semaphore);
  instruction.header.opcode = TERN_OPCODE_DMA_COPY;
  std::vector<Event> waits = waits_.reduce(started.queue, started.waits);
  if (!skips.empty()) {  // after the waits: the semaphore counts in order
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    append_with_waits(started.queue, nop, name, waits, where);
    waits.clear();
    for (std::size_t i = 0; i < skips.size(); ++i) {  // over the rest, the copy and a branch
      skips[i].branch.target = static_cast<std::int32_t>(skips.size() - i + 3);
      if (extension == nullptr) skips[i].branch.target -= 1;
      append(started.queue, skips[i], name, where);
    }
  }
  append_with_waits(started.queue, instruction, name, waits, where, extension);
  const auto index = static_cast<std::uint32_t>(program_.queues[started.queue].size() - 1);
  program_.links.push_back({started.queue, index, generated.destination, generated.source});
  if (!skips.empty()) append_skipped(started, name, where);
  end_transfer(started, accesses);
}

void TransferCalls::dma_copy(const DmaView& dst, const DmaView& src, const DmaOptions& options,
                             SourceLine where) {
  const char* name = "dma_copy";
  check_side(dst, true, "destination", name, where);
  check_side(src, false, "source", name, where);
  const DmaPattern pattern = matched(dst, src, name, where);
  auto made = generated(dst, src, options, name, where);
  if (made && options.descriptors == Descriptors::kChip) made->kind = DmaRings::Kind::kSync;
  if (made) {
    if (iteration_ != nullptr)
      fail(where, name, "not in a loop: loops have dma_load and dma_store");
    std::vector<HazardMap::Access> accesses;
    add_access(src, false, &accesses);
    add_access(dst, true, &accesses);
    generated_transfer(*made, options.priority, accesses, name, where);
    return;
  }
  host_transfer(dst, {src}, false, options, name, where, [&](unsigned semaphore) {
    return plan_copy(dst, src, pattern, TERN_DMA_WRITE_OP_STORE, semaphore);
  });
}

void TransferCalls::dma_transpose(const DmaView& dst, const DmaView& src, const DmaOptions& options,
                                  SourceLine where) {
  const char* name = "dma_transpose";
  check_side(dst, true, "destination", name, where);
  check_side(src, false, "source", name, where);
  const std::uint64_t size = src.element_bytes();
  if (dst.dtype != src.dtype || (size != 2 && size != 4)) {
    fail(where, name,
         "from " + format(src) + " to " + format(dst) + ": expected one format of 2 or 4 bytes");
  }
  if (!dst.has_contiguous_rows() || !src.has_contiguous_rows()) {
    fail(where, name, "expected contiguous elements along the free axis");
  }
  const std::uint64_t rows = src.dims[0].count, columns = src.row_elements();
  const std::uint64_t side = kBlockRowBytes / size;
  if (dst.dims[0].count != columns || dst.row_elements() != rows) {
    fail(where, name, "source " + shape(src) + " does not fit the destination " + shape(dst));
  }
  if (rows % side != 0 || columns % side != 0) {
    fail(where, name,
         "source " + shape(src) + ": expected multiples of " + std::to_string(side) +
             " rows and columns of " + std::to_string(size) + " bytes");
  }
  const auto aligned = [](const DmaView& view, std::uint64_t to) {
    return view.base.offset % to == 0 &&
           (view.dims[0].count == 1 || view.dims[0].pitch % static_cast<std::int64_t>(to) == 0);
  };
  if (!aligned(src, kBeatBytes)) {
    fail(where, name, "rows of the source do not begin at multiples of 64 bytes");
  }
  if (!aligned(dst, 4)) {
    fail(where, name, "rows of the destination do not begin at multiples of 4 bytes");
  }
  if (made_by_host(options)) {
    host_transfer(dst, {src}, false, options, name, where,
                  [&](unsigned semaphore) { return plan_transpose(dst, src, semaphore); });
    return;
  }
  if (size != 2) fail(where, name, "generators transpose elements of 2 bytes");
  if (!chip_.dma.hwdge) fail(where, name, chip_.name + " has no descriptor generators");
  if (iteration_ != nullptr) fail(where, name, "not in a loop: loops have dma_load and dma_store");
  Generated made{
      options.descriptors == Descriptors::kScalar ? DmaRings::Kind::kScalar : DmaRings::Kind::kSync,
      {},
      dst.base,
      src.base};
  tern_instr_dma_copy_t& fields = made.fields;
  const auto block = static_cast<std::int64_t>(side);
  const DmaPattern::Dim dims[3] = {
      {side, dst.dims[0].pitch, src.dims[0].pitch},
      {rows / side, static_cast<std::int64_t>(kBlockRowBytes), block * src.dims[0].pitch},
      {columns / side, block * dst.dims[0].pitch, static_cast<std::int64_t>(kBlockRowBytes)}};
  for (unsigned d = 0; d < 3; ++d) {
    const bool repeats = dims[d].count > 1;
    if (dims[d].count > UINT16_MAX || dims[d].dst > INT32_MAX || dims[d].src > INT32_MAX) {
      fail(where, name, "source " + shape(src) + " is too large for a generator");
    }
    fields.count[d] = static_cast<std::uint16_t>(dims[d].count);
    fields.dst_stride[d] = repeats ? static_cast<std::int32_t>(dims[d].dst) : 0;
    fields.src_stride[d] = repeats ? static_cast<std::int32_t>(dims[d].src) : 0;
  }
  fields.length = kBlockRowBytes;
  fields.op = TERN_DMA_OP_TRANSPOSE;
  std::vector<HazardMap::Access> accesses;
  add_access(src, false, &accesses);
  add_access(dst, true, &accesses);
  generated_transfer(made, options.priority, accesses, name, where);
}

void TransferCalls::dma_accumulate(const DmaView& dst, const DmaView& src,
                                   const DmaOptions& options, SourceLine where) {
  const char* name = "dma_accumulate";
  check_side(dst, true, "destination", name, where);
  check_side(src, false, "source", name, where);
  check_write_op(dst, name, where);
  if (!made_by_host(options)) fail(where, name, "generators only copy");
  const DmaPattern pattern = matched(dst, src, name, where);
  host_transfer(dst, {src}, true, options, name, where, [&](unsigned semaphore) {
    return plan_copy(dst, src, pattern, *add_write_op(dst.dtype), semaphore);
  });
}

void TransferCalls::dma_cast(const DmaView& dst, const DmaView& src, const DmaOptions& options,
                             SourceLine where) {
  DmaOperation operation;
  operation.op = TERN_DMA_OP_CAST;
  compute(dst, {src}, operation, false, options, "dma_cast", where);
}

void TransferCalls::dma_compute(const DmaView& dst, Alu op, const std::vector<DmaView>& sources,
                                bool accumulate, const DmaOptions& options, SourceLine where) {
  DmaOperation operation;
  switch (op) {
    case Alu::kAdd:
      operation.op = TERN_DMA_OP_ADD;
      break;
    case Alu::kMin:
      operation.op = TERN_DMA_OP_MIN;
      break;
    case Alu::kMax:
      operation.op = TERN_DMA_OP_MAX;
      break;
    default:
      fail(where, "dma_compute", "expected add, min or max");
  }
  compute(dst, sources, operation, accumulate, options, "dma_compute", where);
}

void TransferCalls::dma_scale_and_add(const DmaView& dst, const std::vector<DmaView>& sources,
                                      const std::vector<float>& scales, bool accumulate,
                                      const DmaOptions& options, SourceLine where) {
  if (scales.size() != sources.size()) {
    fail(where, "dma_scale_and_add",
         std::to_string(scales.size()) + " scales for " + std::to_string(sources.size()) +
             " sources");
  }
  DmaOperation operation;
  operation.op = TERN_DMA_OP_FMA;
  operation.scales = scales;
  compute(dst, sources, operation, accumulate, options, "dma_scale_and_add", where);
}

void TransferCalls::compute(const DmaView& dst, const std::vector<DmaView>& sources,
                            DmaOperation operation, bool accumulate, const DmaOptions& options,
                            const char* name, SourceLine where) {
  if (sources.empty() || sources.size() > kMaxSources) {
    fail(where, name, std::to_string(sources.size()) + " sources: expected 1 to 16");
  }
  if (!made_by_host(options)) fail(where, name, "generators only copy");
  check_side(dst, true, "destination", name, where);
  const auto check = [&](const DmaView& view, const char* role) {
    const std::string what = std::string(role) + " " + shape(view);
    if (!dma_dtype(view.dtype)) {
      fail(where, name, what + ": expected fp32, bf16 or fp16, got " + format(view));
    }
    if (view.dims[0].count != dst.dims[0].count || view.row_elements() != dst.row_elements()) {
      fail(where, name, what + " does not fit the destination " + shape(dst));
    }
    if (!view.has_contiguous_rows()) {
      fail(where, name, what + ": expected contiguous elements along the free axis");
    }
    const bool aligned = view.base.offset % kBeatBytes == 0 &&
                         (view.dims[0].count == 1 ||
                          view.dims[0].pitch % static_cast<std::int64_t>(kBeatBytes) == 0);
    if (!aligned) fail(where, name, what + ": rows do not begin at multiples of 64 bytes");
  };
  check(dst, "destination");
  for (const DmaView& source : sources) {
    check_side(source, false, "source", name, where);
    check(source, "source");
    if (source.dtype != sources[0].dtype) {
      fail(where, name, "sources in " + format(sources[0]) + " and " + format(source));
    }
  }
  if (accumulate) {
    check_write_op(dst, name, where);
    operation.write_op = *add_write_op(dst.dtype);
  }
  host_transfer(dst, sources, accumulate, options, name, where, [&](unsigned semaphore) {
    return plan_compute(dst, sources, operation, semaphore);
  });
}

}  // namespace tern::kernels
