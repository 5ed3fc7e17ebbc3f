// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/dma.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/qos.h"
#include "sw/spec/generated/registers.h"

namespace tern::dma {

// The three ports of a DMA engine to memory (rtl/dma/README.md, "Ports").
enum class Port : std::uint8_t { kDescriptors, kRead, kWrite };

// A memory request of an engine in one cycle. Requests of a port come in order, answers in any.
struct Request {
  Port port = Port::kRead;
  std::uint64_t cycle = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;             // 1 .. kBurstBytes, not across a multiple of kBurstBytes
  unsigned tag = 0;                    // of this port; free again after its answer
  unsigned traffic_class = 0;          // of the ring
  unsigned write_op = 0;               // TERN_DMA_WRITE_OP_*
  const std::uint8_t* data = nullptr;  // writes; valid during the call
};

constexpr unsigned kBeatBytes = TERN_DMA_BEAT_BYTES;
constexpr unsigned kBurstBytes = TERN_DMA_BURST_BYTES;

enum class Answer : std::uint8_t { kGood, kBadAddress, kUncorrectable };

// Receives an engine's requests and events. Called in order of cycles.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual void request(const Request& request) = 0;
  // fault: TERN_DMA_FAULT_*; index: position of the descriptor in the ring; address: the one
  // concerned, or 0.
  virtual void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                            std::uint64_t address) = 0;
  // All writes of a packet are complete. begin: cycle of its dispatch.
  virtual void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring,
                           std::uint32_t bytes, unsigned pairs) = 0;
};

// Settings of an engine that the preset defines.
struct UnitConfig {
  unsigned descriptor_cycles = 5;  // pause of the data path before a contiguous run
  unsigned pace =
      0;  // 1/1024 cycles more than one per beat: the practical rate over the theoretical
  unsigned policy = TERN_QOS_POLICY_ROUND_ROBIN;  // reset values of the registers
  std::uint32_t rate_256[TERN_QOS_CLASSES] = {};
  std::uint32_t depth[TERN_QOS_CLASSES] = {};
};

// One DMA engine without its clock: the model, the Verilated RTL, or both in lockstep. Inputs carry
// the cycle in which they are at the ports, one that has not been advanced to yet; their effects
// are visible from the next cycle on. Times and rules: rtl/dma/README.md.
class Unit {
 public:
  virtual ~Unit() = default;

  // Register access of whole words (TERN_REG_DMA_*), in `cycle`, at most one write per cycle;
  // false: no such register, or not for this kind of access. A read returns the state left by
  // inputs of earlier cycles.
  virtual bool write_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) = 0;
  virtual bool read_register(std::uint64_t cycle, std::uint32_t offset, std::uint32_t& value) = 0;

  // Hardware-made descriptors: a pair (TX and RX, 32 bytes) enters the prefetch buffer of a ring as
  // if fetched; false: no room, or the ring is stopped. At most one a cycle. The ring needs no
  // memory.
  virtual bool push_pair(std::uint64_t cycle, unsigned ring, const std::uint8_t* pair) = 0;

  // The last beat of an answer is at its port in `cycle`, the beats before it in the cycles before.
  // Answers of a port do not overlap and come in their order. Called before the cycle of the first
  // beat is advanced to. data: of reads, `bytes` of the request; valid during the call.
  virtual void answer(std::uint64_t cycle, Port port, unsigned tag, Answer answer,
                      const std::uint8_t* data) = 0;

  // The first cycle in which it does something without inputs; UINT64_MAX: none.
  virtual std::uint64_t next_cycle() const = 0;
  // Does everything due up to and including `cycle`.
  virtual void advance(std::uint64_t cycle) = 0;

  // Nothing is in flight, and nothing will be without another doorbell.
  virtual bool at_rest() const = 0;

  // For a snapshot: nothing is in flight, and every ring has done what was released or is stopped.
  virtual bool rests_for_snapshot() const { return false; }
  // While it does; cycle: the present one. The model only.
  virtual void archive_state(base::StateArchive& /*archive*/, std::uint64_t /*cycle*/) {
    throw std::logic_error("dma::Unit: only the model can be saved");
  }
};

// Creates what is behind the ports of an engine: the model, the RTL, or both.
using UnitFactory =
    std::function<std::unique_ptr<Unit>(const UnitConfig& config, Environment& environment)>;

}  // namespace tern::dma
