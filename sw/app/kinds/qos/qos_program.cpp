// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/qos/qos_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/dma/packet_list.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::app {
namespace {

constexpr unsigned kExchangeRing = 2, kPrefetchRing = 3;
constexpr unsigned kPrefetchClass = 2, kExchangeClass = 0;
constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT;
constexpr unsigned kPartitionsPerEngine = kPartitions / Executable::kEngines;
// What even layers use alternates with what odd ones use: a core may be one layer ahead of another.
enum Semaphore : unsigned {
  kComputed = kQosGate + 1,  // layers computed
  kReady,                    // exchanges complete
  kLoaded,                   // layers whose weights are there
  kWeights,                  // + 16 per layer
  kReceived = kWeights + 2,  // + 16 per layer and other core
};

constexpr std::uint32_t kScratchElements = 4096;  // FP32 per partition that computing writes

tern_instruction_t instruction(unsigned opcode, unsigned semaphore = 0, std::uint32_t value = 0) {
  tern_instruction_t in{};
  in.header.opcode = static_cast<std::uint8_t>(opcode);
  if (value == 0) return in;
  in.header.wait_cond = TERN_WAIT_COND_GE;
  in.header.wait_sem = static_cast<std::uint8_t>(semaphore);
  in.header.wait_value = value;
  return in;
}

tern_instruction_t then_count(tern_instruction_t in, unsigned semaphore) {
  in.header.upd_op = TERN_UPD_OP_INC;
  in.header.upd_sem = static_cast<std::uint8_t>(semaphore);
  return in;
}

tern_instruction_t trigger(unsigned ring, std::size_t pairs, unsigned semaphore,
                           std::uint32_t value) {
  tern_instruction_t in = instruction(TERN_OPCODE_DMA_TRIGGER, semaphore, value);
  in.dma_trigger.ring = static_cast<std::uint8_t>(ring);
  for (auto& count : in.dma_trigger.count) count = static_cast<std::uint16_t>(pairs);
  return in;
}

class CoreProgram {
 public:
  CoreProgram(const QosWorkload& workload, const ChipConfig& chip, unsigned batch, unsigned core)
      : w_(workload), chip_(chip), batch_(batch), core_(core) {
    weights_ = w_.weights_kib * 1024 / kPartitions;
    piece_ = w_.piece_bytes(batch, chip.cores);
    // SBUF of a partition: two buffers of weights, own piece, pieces of all cores twice, scratch.
    own_ = 2 * weights_;
    received_ = own_ + piece_;
    scratch_ = round_up(received_ + 2 * chip.cores * piece_, 64);
    const std::uint32_t end = scratch_ + kScratchElements * 4;
    if (end > chip.core.sbuf_partition_bytes) {
      throw UserError(fmt::format(
          "{}: keys 'batches', 'hidden', 'weights_kib': batch {}: two layers of weights and the "
          "pieces of {} cores take {} bytes of a partition, expected at most {}",
          w_.path, batch, chip.cores, end, chip.core.sbuf_partition_bytes));
    }
  }

  Executable build() {
    program_.name = fmt::format("qos batch {} core {}", batch_, core_);
    program_.tensors.push_back({"weights",
                                TensorInfo::Kind::kWeight,
                                numerics::DType::kUint8,
                                {2 * kPartitions, weights_}});
    const std::size_t exchange = add_exchange(), prefetch = add_prefetch();
    program_.ring_classes = {{kExchangeRing, kExchangeClass}, {kPrefetchRing, kPrefetchClass}};
    for (unsigned layer = 0; layer < w_.layers; ++layer) {
      const unsigned odd = layer % 2, turn = layer / 2 + 1;
      add(TERN_QUEUE_SCALAR,
          then_count(instruction(TERN_OPCODE_NOP, kWeights + odd, turn * Executable::kEngines),
                     kLoaded));
      add(TERN_QUEUE_GPSIMD, layer < 2 ? trigger(kPrefetchRing, prefetch, kQosGate, 1)
                                       : trigger(kPrefetchRing, prefetch, kComputed, layer - 1));
      compute(layer);
      add(TERN_QUEUE_SYNC, trigger(kExchangeRing, exchange, kComputed, layer + 1));
      add(TERN_QUEUE_SYNC, then_count(instruction(TERN_OPCODE_NOP, kReceived + odd,
                                                  turn * Executable::kEngines * (chip_.cores - 1)),
                                      kReady));
    }
    for (const unsigned queue :
         {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR, TERN_QUEUE_GPSIMD, TERN_QUEUE_SYNC})
      add(queue, instruction(TERN_OPCODE_HALT));
    return std::move(program_);
  }

 private:
  void add(unsigned queue, const tern_instruction_t& in) { program_.queues[queue].push_back(in); }

  static std::uint64_t sbuf(unsigned partition, std::uint64_t byte) {
    return TERN_CORE_SBUF_BASE + partition * TERN_CORE_SBUF_STRIDE + byte;
  }
  static DmaAddress own(std::uint64_t offset) { return {DmaAddress::Space::kCore, 0, offset}; }
  static DmaAddress in_core(unsigned core, std::uint64_t offset) {
    return {DmaAddress::Space::kPeer, core, offset};
  }

  // The vector engine fills scratch memory for as long as the layer's products would take.
  void compute(unsigned layer) {
    if (layer > 0) add(TERN_QUEUE_VECTOR, instruction(TERN_OPCODE_NOP, kReady, layer));
    const double cycles = batch_ * w_.compute_ns_per_token * chip_.core.vector.clock_ghz;
    auto left = static_cast<std::uint32_t>(std::max(1.0, std::round(cycles)));
    for (bool first = true; left > 0; first = false) {
      const std::uint32_t part = std::min(left, kScratchElements);
      left -= part;
      tern_instruction_t in = first ? instruction(TERN_OPCODE_MEMSET, kLoaded, layer + 1)
                                    : instruction(TERN_OPCODE_MEMSET);
      in.elementwise.dst = {scratch_, static_cast<std::uint16_t>(part), 1, 1, 0};
      in.elementwise.dst_dtype = static_cast<std::uint8_t>(numerics::DType::kFp32);
      in.elementwise.partitions = kPartitions;
      in.elementwise.imm0 = 1.0f;
      add(TERN_QUEUE_VECTOR, left == 0 ? then_count(in, kComputed) : in);
    }
  }

  // All layers' descriptors; pairs of one layer on an engine.
  std::size_t add_exchange() {
    std::size_t pairs = 0;
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      kernels::PacketList list;
      for (unsigned layer = 0; layer < w_.layers; ++layer) {
        const unsigned odd = layer % 2;
        // Each core begins with its neighbour, so that not all send to one; semaphores at the end.
        const auto for_others = [&](auto visit) {
          for (unsigned other = 1; other < chip_.cores; ++other)
            visit((core_ + other) % chip_.cores);
        };
        for_others([&](unsigned target) {
          for (unsigned p = e * kPartitionsPerEngine; p < (e + 1) * kPartitionsPerEngine; ++p) {
            const std::uint64_t place = received_ + (odd * chip_.cores + core_) * piece_;
            list.add(own(sbuf(p, own_)), in_core(target, sbuf(p, place)), piece_);
          }
        });
        for_others([&](unsigned target) { list.increment(kReceived + odd, target); });
      }
      auto& ring = program_.rings[kExchangeRing][e];
      ring = PairList(list.take());
      pairs = ring.size() / w_.layers;
    }
    return pairs;
  }

  std::size_t add_prefetch() {
    std::size_t pairs = 0;
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      kernels::PacketList list;
      for (unsigned layer = 0; layer < w_.layers; ++layer) {
        const unsigned odd = layer % 2;
        for (unsigned p = e * kPartitionsPerEngine; p < (e + 1) * kPartitionsPerEngine; ++p) {
          const std::uint64_t row = std::uint64_t{odd * kPartitions + p} * weights_;
          for (std::uint32_t at = 0; at < weights_; at += kernels::kPacketBytes) {
            list.add({DmaAddress::Space::kTensor, 0, row + at}, own(sbuf(p, odd * weights_ + at)),
                     std::min(weights_ - at, kernels::kPacketBytes));
          }
        }
        list.increment(kWeights + odd);
      }
      auto& ring = program_.rings[kPrefetchRing][e];
      ring = PairList(list.take());
      pairs = ring.size() / w_.layers;
    }
    return pairs;
  }

  const QosWorkload& w_;
  const ChipConfig& chip_;
  const unsigned batch_, core_;
  std::uint32_t weights_ = 0, piece_ = 0;               // bytes per partition
  std::uint32_t own_ = 0, received_ = 0, scratch_ = 0;  // where in the partition
  Executable program_;
};

}  // namespace

Executable qos_program(const QosWorkload& workload, const ChipConfig& chip, unsigned batch,
                       unsigned core) {
  return CoreProgram(workload, chip, batch, core).build();
}

}  // namespace tern::app
