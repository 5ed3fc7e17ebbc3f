// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/dma/transfer_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::app {
namespace {

constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT, kFirstSemaphore = 8;
constexpr unsigned kHostRing = 0, kFirstGeneratedRing = 2;  // one for each generator
constexpr unsigned kSoftwareRing = 4, kIndexSemaphore = 7;
// At the end of every partition: rings of GpSimd's descriptors, before them the indices.
constexpr std::uint32_t kRingBytes = 16 * 1024, kIndexBytes = 4 * 1024;
constexpr unsigned kPartitionsPerEngine = kPartitions / Executable::kEngines;
constexpr std::uint64_t kFootprint = std::uint64_t{64} << 20;  // tiles in HBM before reuse

std::uint32_t run_bytes(const TransferSeries& s) {
  return s.element == 0 ? s.bytes : std::min(s.element, s.bytes);
}

// Distance of two elements of the source.
std::uint64_t source_pitch(const TransferSeries& s) {
  return std::uint64_t{run_bytes(s)} * (run_bytes(s) == s.bytes ? 1 : 2);
}

std::uint64_t source_row(const TransferSeries& s) {
  return s.bytes / run_bytes(s) * source_pitch(s);
}

DmaAddress sbuf(unsigned partition, std::uint64_t byte) {
  return {DmaAddress::Space::kCore, 0,
          TERN_CORE_SBUF_BASE + partition * TERN_CORE_SBUF_STRIDE + byte};
}

}  // namespace

const char* transfer_path_name(TransferPath path) {
  switch (path) {
    case TransferPath::kHbmToSbuf:
      return "hbm-sbuf";
    case TransferPath::kSbufToHbm:
      return "sbuf-hbm";
    case TransferPath::kSbufToSbuf:
      return "sbuf-sbuf";
  }
  return "?";
}

const char* descriptor_maker_name(DescriptorMaker maker) {
  switch (maker) {
    case DescriptorMaker::kHost:
      return "host";
    case DescriptorMaker::kHardware:
      return "hardware";
    case DescriptorMaker::kSoftware:
      return "software";
  }
  return "?";
}

const char* starting_queue(const TransferSeries& series) {
  return series.descriptors == DescriptorMaker::kSoftware ? "gpsimd" : "sync";
}

const char* starting_instruction(const TransferSeries& series) {
  switch (series.descriptors) {
    case DescriptorMaker::kHost:
      return "dma_trigger";
    case DescriptorMaker::kHardware:
      return "dma_copy";
    case DescriptorMaker::kSoftware:
      return "dma_indirect";
  }
  return "?";
}

std::uint64_t transfer_bytes(const TransferSeries& series) {
  return std::uint64_t{series.bytes} * series.engines * kPartitionsPerEngine;
}

std::uint64_t transfer_pairs(const TransferSeries& series) {
  return std::uint64_t{kPartitionsPerEngine} * (series.bytes / run_bytes(series)) + 1;
}

Executable transfer_program(const TransferSeries& s, std::uint64_t sbuf_partition_bytes) {
  const std::uint32_t run = run_bytes(s);
  if (transfer_pairs(s) > UINT16_MAX) {
    throw UserError(fmt::format(
        "a transfer of {} bytes per partition in elements of {}: {} descriptor pairs on an engine, "
        "a trigger counts {}",
        s.bytes, run, transfer_pairs(s), UINT16_MAX));
  }
  const bool from_hbm = s.path == TransferPath::kHbmToSbuf;
  const bool to_hbm = s.path == TransferPath::kSbufToHbm;
  const bool software = s.descriptors == DescriptorMaker::kSoftware;
  const std::uint64_t half = sbuf_partition_bytes / 2;
  const std::uint64_t upper = half - (software ? kRingBytes + kIndexBytes : 0);
  // The halves of SBUF alternate; a copy inside it has its sources in the lower half.
  const auto slots = [&](std::uint64_t room, std::uint64_t row) {
    return std::max<std::uint64_t>(1, room / row);
  };
  const std::uint64_t sources = slots(half, source_row(s)), targets = slots(upper, s.bytes);
  const std::uint64_t hbm_row = to_hbm ? s.bytes : source_row(s);
  const std::uint64_t tiles =
      std::clamp<std::uint64_t>(kFootprint / (hbm_row * kPartitions), 1, s.count);

  Executable program;
  program.name = fmt::format("{} x {}", s.count, transfer_path_name(s.path));
  if (s.path != TransferPath::kSbufToSbuf) {
    program.tensors.push_back({"tiles",
                               to_hbm ? TensorInfo::Kind::kOutput : TensorInfo::Kind::kInput,
                               numerics::DType::kUint8,
                               {tiles * kPartitions, hbm_row}});
  }

  // Where row p of transfer i begins.
  const auto hbm = [&](unsigned i, unsigned p) {
    return DmaAddress{DmaAddress::Space::kTensor, 0, (i % tiles * kPartitions + p) * hbm_row};
  };
  const auto source_of = [&](unsigned i, unsigned p) {
    return from_hbm ? hbm(i, p) : sbuf(p, i % sources * source_row(s));
  };
  const auto target_of = [&](unsigned i, unsigned p) {
    return to_hbm ? hbm(i, p) : sbuf(p, half + i % targets * s.bytes);
  };

  if (s.descriptors == DescriptorMaker::kHost) {
    auto& rings = program.rings[kHostRing];
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const unsigned begin = e * kPartitionsPerEngine;
      const unsigned end = e < s.engines ? begin + kPartitionsPerEngine : begin;
      kernels::PacketList list;
      for (unsigned i = 0; i < s.count; ++i) {
        for (unsigned p = begin; p < end; ++p) {
          DmaAddress source = source_of(i, p), target = target_of(i, p);
          for (std::uint32_t done = 0; done < s.bytes; done += run) {
            list.add(source, target, run);
            source.offset += source_pitch(s);
            target.offset += run;
          }
        }
        list.increment(kFirstSemaphore + i % s.in_flight);
      }
      rings[e] = PairList(list.take());
    }
  }
  // Rows are the outermost dimension of a generator's copy.
  const auto copy = [&](unsigned i, unsigned generator) {
    tern_instruction_t in{};
    in.header.opcode = TERN_OPCODE_DMA_COPY;
    tern_instr_dma_copy_t& fields = in.dma_copy;
    const unsigned runs = s.bytes / run;
    for (auto& count : fields.count) count = 1;
    fields.count[0] = static_cast<std::uint16_t>(runs);
    fields.count[2] = kPartitions;
    if (runs > 1) {
      fields.src_stride[0] = static_cast<std::int32_t>(source_pitch(s));
      fields.dst_stride[0] = static_cast<std::int32_t>(run);
    }
    const auto row = static_cast<std::int32_t>(hbm_row);
    const auto partition = static_cast<std::int32_t>(TERN_CORE_SBUF_STRIDE);
    fields.src_stride[2] = from_hbm ? row : partition;
    fields.dst_stride[2] = to_hbm ? row : partition;
    fields.length = static_cast<std::uint16_t>(run % TERN_DESCRIPTOR_MAX_LENGTH);
    fields.ring = static_cast<std::uint8_t>(kFirstGeneratedRing + generator);
    fields.semaphore = static_cast<std::uint8_t>(kFirstSemaphore + i % s.in_flight);
    program.generated_rings[fields.ring] = {};
    return in;
  };

  const auto index_byte =
      static_cast<std::uint32_t>(sbuf_partition_bytes - kRingBytes - kIndexBytes);
  if (software) {  // column t: the rows of tile t
    tern_instruction_t in{};
    in.header.opcode = TERN_OPCODE_IOTA;
    in.header.upd_op = TERN_UPD_OP_INC;
    in.header.upd_sem = kIndexSemaphore;
    in.affine.dst = {index_byte, static_cast<std::uint16_t>(tiles), 1, 1, 0};
    in.affine.channel_multiplier = 1;
    in.affine.step[0] = kPartitions;
    in.affine.dst_dtype = TERN_DTYPE_UINT32;
    in.affine.partitions = kPartitions;
    in.affine.op = TERN_ALU_OP_BYPASS;
    program.queues[TERN_QUEUE_GPSIMD].push_back(in);
    program.generated_rings[kSoftwareRing] = {
        kRingBytes / (2 * TERN_DESCRIPTOR_BYTES),
        static_cast<std::uint32_t>(sbuf_partition_bytes - kRingBytes)};
  }
  const auto indirect = [&](unsigned i) {
    tern_instruction_t in{};
    in.header.opcode = TERN_OPCODE_DMA_INDIRECT;
    tern_instr_dma_indirect_t& fields = in.dma_indirect;
    fields.rows = static_cast<std::uint32_t>(tiles * kPartitions);
    fields.pitch = fields.length = s.bytes;
    fields.tile = static_cast<std::uint32_t>((from_hbm ? target_of(i, 0) : source_of(i, 0)).offset -
                                             TERN_CORE_SBUF_BASE);
    fields.index = index_byte + static_cast<std::uint32_t>(4 * (i % tiles));
    fields.partitions = kPartitions;
    fields.ring = kSoftwareRing;
    fields.semaphore = static_cast<std::uint8_t>(kFirstSemaphore + i % s.in_flight);
    fields.direction = from_hbm ? TERN_DMA_DIRECTION_GATHER : TERN_DMA_DIRECTION_SCATTER;
    fields.bounds = TERN_BOUNDS_MODE_ERROR;
    if (i == 0) {
      in.header.wait_cond = TERN_WAIT_COND_GE;
      in.header.wait_sem = kIndexSemaphore;
      in.header.wait_value = 1;
    }
    return in;
  };

  const auto wait_for = [&](unsigned transfer, tern_instruction_t* in) {
    in->header.wait_cond = TERN_WAIT_COND_GE;
    in->header.wait_sem = static_cast<std::uint8_t>(kFirstSemaphore + transfer % s.in_flight);
    in->header.wait_value = (transfer / s.in_flight + 1) * Executable::kEngines;
  };
  for (unsigned i = 0; i < s.count; ++i) {
    tern_instruction_t start{};
    const unsigned generator = i % s.generators;
    const unsigned queue = software         ? TERN_QUEUE_GPSIMD
                           : generator == 0 ? TERN_QUEUE_SYNC
                                            : TERN_QUEUE_SCALAR;
    if (software) {
      start = indirect(i);
      program.links.push_back(
          {queue, static_cast<std::uint32_t>(program.queues[queue].size()), {}, hbm(0, 0)});
    } else if (s.descriptors == DescriptorMaker::kHost) {
      start.header.opcode = TERN_OPCODE_DMA_TRIGGER;
      start.dma_trigger.ring = kHostRing;
      for (unsigned e = 0; e < Executable::kEngines; ++e) {
        start.dma_trigger.count[e] =
            static_cast<std::uint16_t>(e < s.engines ? transfer_pairs(s) : 1);
      }
    } else {
      start = copy(i, generator);
      program.links.push_back({queue, static_cast<std::uint32_t>(program.queues[queue].size()),
                               target_of(i, 0), source_of(i, 0)});
    }
    if (i >= s.in_flight) wait_for(i - s.in_flight, &start);
    program.queues[queue].push_back(start);
  }
  for (const unsigned transfer : s.watched) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    wait_for(transfer, &nop);
    program.queues[TERN_QUEUE_VECTOR].push_back(nop);
  }
  // The program ends when every transfer has.
  for (unsigned i = 0; i < std::min(s.in_flight, s.count); ++i) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    wait_for(s.count - 1 - i, &nop);
    program.queues[TERN_QUEUE_VECTOR].push_back(nop);
  }
  tern_instruction_t halt{};
  halt.header.opcode = TERN_OPCODE_HALT;
  program.queues[TERN_QUEUE_SYNC].push_back(halt);
  program.queues[TERN_QUEUE_VECTOR].push_back(halt);
  for (const unsigned queue : {TERN_QUEUE_SCALAR, TERN_QUEUE_GPSIMD}) {
    if (!program.queues[queue].empty()) program.queues[queue].push_back(halt);
  }
  return program;
}

}  // namespace tern::app
