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

constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT, kRing = 0, kFirstSemaphore = 8;
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

std::uint64_t transfer_bytes(const TransferSeries& series) {
  return std::uint64_t{series.bytes} * kPartitions;
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
  const std::uint64_t half = sbuf_partition_bytes / 2;
  // The halves of SBUF alternate; a copy inside it has its sources in the lower half.
  const auto slots = [&](std::uint64_t room, std::uint64_t row) {
    return std::max<std::uint64_t>(1, room / row);
  };
  const std::uint64_t sources = slots(half, source_row(s)), targets = slots(half, s.bytes);
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

  auto& rings = program.rings[kRing];
  for (unsigned e = 0; e < Executable::kEngines; ++e) {
    kernels::PacketList list;
    for (unsigned i = 0; i < s.count; ++i) {
      for (unsigned p = e * kPartitionsPerEngine; p < (e + 1) * kPartitionsPerEngine; ++p) {
        const std::uint64_t row = (i % tiles * kPartitions + p) * hbm_row;
        const std::uint64_t source0 = from_hbm ? row : i % sources * source_row(s);
        const std::uint64_t target0 = to_hbm ? row : half + i % targets * s.bytes;
        const auto hbm = [](std::uint64_t byte) {
          return DmaAddress{DmaAddress::Space::kTensor, 0, byte};
        };
        for (std::uint32_t done = 0; done < s.bytes; done += run) {
          const std::uint64_t source = source0 + done / run * source_pitch(s);
          const std::uint64_t target = target0 + done;
          list.add(from_hbm ? hbm(source) : sbuf(p, source), to_hbm ? hbm(target) : sbuf(p, target),
                   run);
        }
      }
      list.increment(kFirstSemaphore + i % s.in_flight);
    }
    rings[e] = list.take();
  }

  const auto wait_for = [&](unsigned transfer, tern_instruction_t* in) {
    in->header.wait_cond = TERN_WAIT_COND_GE;
    in->header.wait_sem = static_cast<std::uint8_t>(kFirstSemaphore + transfer % s.in_flight);
    in->header.wait_value = (transfer / s.in_flight + 1) * Executable::kEngines;
  };
  for (unsigned i = 0; i < s.count; ++i) {
    tern_instruction_t trigger{};
    trigger.header.opcode = TERN_OPCODE_DMA_TRIGGER;
    trigger.dma_trigger.ring = kRing;
    for (auto& count : trigger.dma_trigger.count)
      count = static_cast<std::uint16_t>(transfer_pairs(s));
    if (i >= s.in_flight) wait_for(i - s.in_flight, &trigger);
    program.queues[TERN_QUEUE_SYNC].push_back(trigger);
  }
  for (const unsigned transfer : s.watched) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    wait_for(transfer, &nop);
    program.queues[TERN_QUEUE_GPSIMD].push_back(nop);
  }
  // The program ends when every transfer has.
  for (unsigned i = 0; i < std::min(s.in_flight, s.count); ++i) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    wait_for(s.count - 1 - i, &nop);
    program.queues[TERN_QUEUE_GPSIMD].push_back(nop);
  }
  tern_instruction_t halt{};
  halt.header.opcode = TERN_OPCODE_HALT;
  program.queues[TERN_QUEUE_SYNC].push_back(halt);
  program.queues[TERN_QUEUE_GPSIMD].push_back(halt);
  return program;
}

}  // namespace tern::app
