// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/dma/dma_lists.h"

#include <algorithm>
#include <cstring>

#include "sw/base/math.h"
#include "sw/spec/descriptor_pack.h"

namespace tern::kernels {

namespace {

constexpr unsigned kEngines = Executable::kEngines;
constexpr unsigned kMaxPatternDims = 4;
constexpr std::uint64_t kSmallestPiece = TERN_DMA_SMALLEST_PIECE;
constexpr unsigned kMaxBlocks = TERN_DMA_TRANSPOSE_BLOCKS;
constexpr unsigned kRowAlignment = TERN_DMA_BEAT_BYTES;

DmaAddress moved(const DmaAddress& from, std::int64_t bytes) {
  DmaAddress to = from;
  to.offset += static_cast<std::uint64_t>(bytes);
  return to;
}

struct PatternDim {
  std::uint64_t count;
  std::int64_t dst, src;
};

// The slots after a pair: two dimensions each, from the innermost.
std::vector<DescriptorPair> slots_of(const std::vector<PatternDim>& dims) {
  std::vector<DescriptorPair> slots;
  for (std::size_t d = 0; d < dims.size(); d += 2) {
    DescriptorPattern dst, src;
    dst.count0 = src.count0 = static_cast<std::uint16_t>(dims[d].count);
    dst.stride0 = static_cast<std::int32_t>(dims[d].dst);
    src.stride0 = static_cast<std::int32_t>(dims[d].src);
    if (d + 1 < dims.size()) {
      dst.count1 = src.count1 = static_cast<std::uint16_t>(dims[d + 1].count);
      dst.stride1 = static_cast<std::int32_t>(dims[d + 1].dst);
      src.stride1 = static_cast<std::int32_t>(dims[d + 1].src);
    }
    DescriptorPair slot;
    slot.source = {DmaAddress::Space::kValue, 0, src.strides()};
    slot.source_word = src.counts();
    slot.destination = {DmaAddress::Space::kValue, 0, dst.strides()};
    slot.destination_word = dst.counts();
    slots.push_back(slot);
  }
  return slots;
}

// The descriptors of one engine, in packets.
class PairList {
 public:
  // Adds pairs that belong together.
  void add(const std::vector<DescriptorPair>& pairs, std::uint64_t bytes, bool own_packet) {
    const bool full =
        packet_pairs_ + pairs.size() > kPairsPerPacket || packet_bytes_ + bytes > kPacketBytes;
    if (full || own_packet || packet_pairs_ == 0) close();
    for (DescriptorPair pair : pairs) {
      pair.first = packet_pairs_ == 0;
      ++packet_pairs_;
      pairs_.push_back(pair);
    }
    packet_bytes_ += bytes;
    if (own_packet) close();
  }
  std::vector<DescriptorPair> finish(unsigned semaphore) {
    close();
    pairs_.push_back(semaphore_increment(semaphore));
    return std::move(pairs_);
  }

 private:
  void close() {
    if (packet_pairs_ > 0) pairs_.back().last = true;
    packet_pairs_ = 0;
    packet_bytes_ = 0;
  }

  std::vector<DescriptorPair> pairs_;
  std::size_t packet_pairs_ = 0;
  std::uint64_t packet_bytes_ = 0;
};

EngineDescriptors finished(std::vector<PairList>* lists, unsigned semaphore) {
  EngineDescriptors result;
  for (unsigned e = 0; e < kEngines; ++e) result[e] = (*lists)[e].finish(semaphore);
  return result;
}

// A row of a copy: the inner dimensions as patterns, the outer ones written out.
class RowWriter {
 public:
  RowWriter(const DmaPattern& pattern, unsigned write_op) : pattern_(pattern) {
    operation_.write_op = write_op;
    std::uint64_t bytes = pattern.run;
    const std::size_t inner = pattern.dims.size() - 1;
    while (whole_ < inner && whole_ < kMaxPatternDims &&
           bytes * pattern.dims[whole_].count <= kPacketBytes &&
           pattern.dims[whole_].count <= UINT16_MAX) {
      bytes *= pattern.dims[whole_++].count;
    }
    if (whole_ < inner && whole_ < kMaxPatternDims) {
      part_ = std::clamp<std::uint64_t>(kPacketBytes / bytes, 1, pattern.dims[whole_].count);
    }
  }

  void write(const DmaAddress& dst, const DmaAddress& src, PairList* list) const {
    write_dimension(pattern_.dims.size() - 1, dst, src, list);
  }
  // A contiguous run, in pairs of at most 64 KiB.
  void write_run(const DmaAddress& dst, const DmaAddress& src, std::uint64_t bytes,
                 PairList* list) const {
    for (std::uint64_t done = 0; done < bytes;) {
      const std::uint64_t piece = std::min<std::uint64_t>(bytes - done, TERN_DESCRIPTOR_MAX_LENGTH);
      add(moved(dst, static_cast<std::int64_t>(done)), moved(src, static_cast<std::int64_t>(done)),
          piece, {}, list);
      done += piece;
    }
  }

 private:
  // Dimensions below `d`.
  void write_dimension(std::size_t d, const DmaAddress& dst, const DmaAddress& src,
                       PairList* list) const {
    std::vector<PatternDim> dims;
    for (std::size_t i = 0; i < std::min(d, whole_); ++i) {
      dims.push_back({pattern_.dims[i].count, pattern_.dims[i].dst, pattern_.dims[i].src});
    }
    if (d <= whole_) {
      if (dims.empty()) return write_run(dst, src, pattern_.run, list);
      return add(dst, src, pattern_.run, dims, list);
    }
    const DmaPattern::Dim& dim = pattern_.dims[d - 1];
    const std::uint64_t step = d - 1 == whole_ ? part_ : 1;
    for (std::uint64_t i = 0; i < dim.count; i += step) {
      const auto times = static_cast<std::int64_t>(i);
      const DmaAddress to = moved(dst, dim.dst * times), from = moved(src, dim.src * times);
      if (step == 1) {
        write_dimension(d - 1, to, from, list);
        continue;
      }
      std::vector<PatternDim> with = dims;
      with.push_back({std::min(step, dim.count - i), dim.dst, dim.src});
      add(to, from, pattern_.run, with, list);
    }
  }
  void add(const DmaAddress& dst, const DmaAddress& src, std::uint64_t run,
           const std::vector<PatternDim>& dims, PairList* list) const {
    DescriptorPair pair;
    pair.source = src;
    pair.destination = dst;
    pair.bytes = static_cast<std::uint32_t>(run);
    std::vector<DescriptorPair> pairs{pair};
    std::uint64_t bytes = run;
    for (const PatternDim& dim : dims) bytes *= dim.count;
    if (bytes > run) {
      for (const DescriptorPair& slot : slots_of(dims)) pairs.push_back(slot);
    }
    DescriptorOperation operation = operation_;
    operation.pattern_slots = static_cast<unsigned>(pairs.size() - 1);
    pairs[0].destination_word = operation.word();
    list->add(pairs, bytes, false);
  }

  const DmaPattern& pattern_;
  DescriptorOperation operation_;
  std::size_t whole_ = 0;   // inner dimensions that every pair contains completely
  std::uint64_t part_ = 1;  // of the next one
};

}  // namespace

std::optional<unsigned> dma_dtype(DType dtype) {
  switch (dtype) {
    case DType::kFp32:
      return TERN_DMA_DTYPE_FP32;
    case DType::kBf16:
      return TERN_DMA_DTYPE_BF16;
    case DType::kFp16:
      return TERN_DMA_DTYPE_FP16;
    default:
      return std::nullopt;
  }
}

std::optional<unsigned> add_write_op(DType dtype) {
  switch (dtype) {
    case DType::kFp32:
      return TERN_DMA_WRITE_OP_ADD_FP32;
    case DType::kBf16:
      return TERN_DMA_WRITE_OP_ADD_BF16;
    case DType::kE4m3Fn:
      return TERN_DMA_WRITE_OP_ADD_FP8;
    default:
      return std::nullopt;
  }
}

EngineDescriptors plan_copy(const DmaView& dst, const DmaView& src, const DmaPattern& pattern,
                            unsigned write_op, unsigned semaphore) {
  std::vector<PairList> lists(kEngines);
  const RowWriter writer(pattern, write_op);
  const DmaPattern::Dim& rows = pattern.dims.back();
  const auto at = [](const DmaAddress& base, std::int64_t pitch, std::uint64_t row) {
    return moved(base, pitch * static_cast<std::int64_t>(row));
  };
  if (rows.count >= kEngines) {
    for (std::uint64_t r = 0; r < rows.count; ++r) {
      writer.write(at(dst.base, rows.dst, r), at(src.base, rows.src, r),
                   &lists[r * kEngines / rows.count]);
    }
    return finished(&lists, semaphore);
  }
  unsigned engine = 0;
  if (pattern.dims.size() > 1) {  // the next dimension is spread instead
    const DmaPattern::Dim& next = pattern.dims[pattern.dims.size() - 2];
    DmaPattern below = pattern;
    below.dims.erase(below.dims.end() - 2);
    const RowWriter part(below, write_op);
    for (std::uint64_t r = 0; r < rows.count; ++r) {
      for (std::uint64_t i = 0; i < next.count; ++i) {
        const std::uint64_t spread = (r * next.count + i) * kEngines / (rows.count * next.count);
        part.write(at(at(dst.base, rows.dst, r), next.dst, i),
                   at(at(src.base, rows.src, r), next.src, i), &lists[spread]);
      }
    }
    return finished(&lists, semaphore);
  }
  const std::uint64_t share = ceil_div(rows.count * pattern.run, kEngines);
  const std::uint64_t piece = std::max(kSmallestPiece, round_up(share, kRowAlignment));
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    for (std::uint64_t done = 0; done < pattern.run; done += piece) {
      const auto offset = static_cast<std::int64_t>(done);
      writer.write_run(moved(at(dst.base, rows.dst, r), offset),
                       moved(at(src.base, rows.src, r), offset),
                       std::min(piece, pattern.run - done), &lists[engine++ % kEngines]);
    }
  }
  return finished(&lists, semaphore);
}

EngineDescriptors plan_transpose(const DmaView& dst, const DmaView& src, unsigned semaphore) {
  const std::uint64_t size = src.element_bytes(), side = kBlockRowBytes / size;
  const std::uint64_t along = src.dims[0].count / side, across = src.row_elements() / side;
  const std::uint64_t together =
      std::clamp<std::uint64_t>(along * across / kEngines, 1, kMaxBlocks);
  DescriptorOperation operation;
  operation.op = TERN_DMA_OP_TRANSPOSE;
  operation.pattern_slots = 1;
  operation.src_dtype = operation.dst_dtype = size == 2 ? TERN_DMA_DTYPE_BF16 : TERN_DMA_DTYPE_FP32;
  std::vector<PairList> lists(kEngines);
  unsigned engine = 0;
  const auto rows = static_cast<std::int64_t>(side);
  for (std::uint64_t c = 0; c < across; ++c) {
    for (std::uint64_t r = 0; r < along; r += together) {
      const auto block_row = static_cast<std::int64_t>(r), block = static_cast<std::int64_t>(c);
      DescriptorPair pair;
      pair.source = moved(src.base, block_row * rows * src.dims[0].pitch + block * kBlockRowBytes);
      pair.destination =
          moved(dst.base, block * rows * dst.dims[0].pitch + block_row * kBlockRowBytes);
      pair.bytes = kBlockRowBytes;
      pair.destination_word = operation.word();
      std::vector<DescriptorPair> pairs{pair};
      const std::vector<PatternDim> dims{
          {side, dst.dims[0].pitch, src.dims[0].pitch},
          {std::min(together, along - r), kBlockRowBytes, rows * src.dims[0].pitch}};
      for (const DescriptorPair& slot : slots_of(dims)) pairs.push_back(slot);
      lists[engine++ % kEngines].add(pairs, 0, true);
    }
  }
  return finished(&lists, semaphore);
}

EngineDescriptors plan_compute(const DmaView& dst, const std::vector<DmaView>& sources,
                               const DmaOperation& operation, unsigned semaphore) {
  const std::uint64_t from = sources[0].element_bytes(), to = dst.element_bytes();
  const std::uint64_t rows = dst.dims[0].count, elements = dst.row_elements();
  // Of a piece: whole beats on both sides. Few rows are cut so that all engines take part.
  const std::uint64_t most = kComputeBytes / std::max(from, to);
  std::uint64_t piece = most;
  if (rows < kEngines) {
    constexpr std::uint64_t kBlock = TERN_DMA_BLOCK_ELEMENTS;
    const std::uint64_t share = ceil_div(rows * elements, kEngines);
    piece = std::min(most, round_up(share, kBlock));
  }
  DescriptorOperation word;
  word.op = operation.op;
  word.src_dtype = *dma_dtype(sources[0].dtype);
  word.dst_dtype = *dma_dtype(dst.dtype);
  word.write_op = operation.write_op;
  std::vector<PairList> lists(kEngines);
  unsigned engine = 0;
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t first = 0; first < elements; first += piece) {
      const std::uint64_t count = std::min(piece, elements - first);
      const auto place = [&](const DmaView& view) {
        return moved(view.base, static_cast<std::int64_t>(r) * view.dims[0].pitch +
                                    static_cast<std::int64_t>(first * view.element_bytes()));
      };
      std::vector<DescriptorPair> pairs;
      for (std::size_t s = 0; s < sources.size(); ++s) {
        DescriptorPair pair;
        pair.source = place(sources[s]);
        pair.bytes = static_cast<std::uint32_t>(count * from);
        if (operation.op == TERN_DMA_OP_FMA) {
          std::memcpy(&pair.source_word, &operation.scales[s], sizeof pair.source_word);
        }
        pair.destination = s == 0 ? place(dst) : DmaAddress{DmaAddress::Space::kValue, 0, 0};
        pair.destination_bytes = s == 0 ? static_cast<std::uint32_t>(count * to) : 0;
        if (s == 0) pair.destination_word = word.word();
        pairs.push_back(pair);
      }
      const std::uint64_t of = rows < kEngines ? engine++ % kEngines : r * kEngines / rows;
      lists[of].add(pairs, 0, true);
    }
  }
  return finished(&lists, semaphore);
}

}  // namespace tern::kernels
