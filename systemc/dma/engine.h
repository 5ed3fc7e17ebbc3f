// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/registers.h"
#include "systemc/dma/engine_clock.h"
#include "systemc/dma/model/unit.h"
#include "systemc/noc/traffic.h"
#include "systemc/trace/sim_time.h"
#include "systemc/trace/trace.h"

namespace tern::dma {

// Converts the settings of a chip's preset into those of an engine.
UnitConfig unit_config(const DmaConfig& config);

// One DMA engine on the chip: a Unit at its clock, and its sockets. README.md.
class Engine : public sc_core::sc_module, private Environment, private EngineClock::Member {
 public:
  static constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
  static constexpr bool kTakesPairs = true;
  // Hardware-made pairs that wait for their ring's prefetch buffer.
  static constexpr unsigned kPushedPairs = 8;

  struct Counters {
    std::uint64_t packets = 0, descriptors = 0, bytes = 0;
    std::uint64_t busy_fs = 0;  // packets dispatched and not complete
  };
  // Code: docs/reference/isa.md (dma_descriptor); detail: fault * 2^24 + position of the
  // descriptor.
  using ErrorHandler = std::function<void(unsigned ring, unsigned code, std::uint64_t detail)>;

  // Descriptors and data, chip-local addresses; nb_transport with the extension Traffic.
  tlm_utils::simple_initiator_socket<Engine> bus;
  tlm_utils::simple_target_socket<Engine> registers;  // docs/reference/registers.md, block dma

  // The clock must outlive it.
  Engine(sc_core::sc_module_name name, const DmaConfig& config, EngineClock& clock,
         unsigned engine_index, trace::Bus* trace, const std::string& trace_process,
         const UnitFactory& factory = {});
  ~Engine() override;

  // From a sequencer: acts like a write of ring_tail, dma.doorbell_latency_ns later.
  void doorbell(unsigned ring, unsigned pairs);
  // As a write of ring_abort, of one ring or of every one.
  void abort_ring(unsigned ring);
  void abort_rings();
  // A hardware-made pair (TX and RX, 32 bytes) for a ring; false: no room now, or the ring is
  // stopped.
  bool push_pair(unsigned ring, const std::uint8_t* pair);
  // Called when push_pair() may succeed again after it returned false.
  void set_room_handler(std::function<void()> handler) { room_handler_ = std::move(handler); }
  bool ring_stopped(unsigned ring) const { return stopped_.at(ring); }
  bool ring_is_set_up(unsigned ring) const { return set_up_.at(ring); }
  std::uint32_t ring_head(unsigned ring);
  void set_error_handler(ErrorHandler handler) { error_handler_ = std::move(handler); }
  // Told of each packet that has completed.
  using PacketHandler = std::function<void(unsigned ring, std::uint32_t bytes)>;
  void set_packet_handler(PacketHandler handler) { packet_handler_ = std::move(handler); }

  // Nothing is in flight, and nothing will be without another doorbell.
  bool at_rest() const;
  // Also that every ring has done what was released or is stopped.
  bool rests_for_snapshot() const;
  // While it does.
  void archive_state(base::StateArchive& archive);
  const Counters& counters() const { return counters_; }
  unsigned index() const { return index_; }

 private:
  struct Access;
  struct RegisterWrite {
    std::uint64_t due_fs;
    std::uint32_t offset, value;
  };
  struct PushedPair {
    unsigned ring;
    std::array<std::uint8_t, 2 * TERN_DESCRIPTOR_BYTES> pair;
  };

  void request(const Request& request) override;
  void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                    std::uint64_t address) override;
  void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring, std::uint32_t bytes,
                   unsigned pairs) override;

  void wake() override;
  void give_inputs();
  void schedule();

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void registers_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned registers_dbg(tlm::tlm_generic_payload& transaction);
  void post(std::uint32_t offset, std::uint32_t value, std::uint64_t at_fs);
  void write(const RegisterWrite& write);
  bool writes_wait() const;

  const unsigned index_;
  EngineClock& clock_;
  const unsigned member_;  // of the clock
  const std::uint64_t doorbell_fs_;
  trace::Bus* const trace_;
  trace::TrackId track_ = 0;
  ErrorHandler error_handler_;
  PacketHandler packet_handler_;
  std::function<void()> room_handler_;
  Counters counters_;
  std::array<unsigned, kRings> classes_{};
  std::array<bool, kRings> stopped_{}, set_up_{};
  std::uint64_t busy_until_ = 0;  // cycle

  std::unique_ptr<Unit> unit_;
  std::deque<RegisterWrite> posted_;  // in flight, in the order in which they act
  std::uint64_t written_ = 0;         // cycle of the newest register write
  std::deque<PushedPair> pushed_;
  std::uint64_t pushed_cycle_ = 0;
  bool wants_room_ = false;

  std::deque<Access> accesses_;  // payloads; never shrinks
  std::vector<Access*> free_;
  std::array<std::uint64_t, 3> port_free_{};  // first cycle without a beat of an answer, per port
};

}  // namespace tern::dma
