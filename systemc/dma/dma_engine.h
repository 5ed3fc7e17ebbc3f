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

#include "sw/spec/generated/registers.h"
#include "systemc/config/chip_config.h"
#include "systemc/dma/packet.h"
#include "systemc/dma/ring.h"
#include "systemc/trace/trace.h"

namespace tern {

// One DMA engine: 16 rings of descriptor pairs, moved packet by packet. Timing and limits:
// README.md.
class DmaEngine : public sc_core::sc_module {
 public:
  static constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
  // Reads run ahead of the copy, and writes behind it, by this many bytes.
  static constexpr std::uint64_t kWindowBytes = 32 * 1024;

  struct Counters {
    std::uint64_t packets = 0, descriptors = 0, bytes = 0;
    std::uint64_t busy_fs = 0;
  };
  // code: docs/reference/isa.md; detail: the address of a bus error, else dma::describe() explains
  // it.
  using ErrorHandler = std::function<void(unsigned ring, unsigned code, std::uint64_t detail)>;

  tlm_utils::simple_initiator_socket<DmaEngine> bus;  // descriptors and data, chip-local addresses
  tlm_utils::simple_target_socket<DmaEngine> registers;  // docs/reference/registers.md, block dma

  DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, unsigned engine_index,
            trace::Bus* trace, const std::string& trace_process);

  // The same as writing ring_tail.
  void doorbell(unsigned ring, unsigned pairs) { doorbell_at(ring, pairs, 0); }
  void set_error_handler(std::function<void(unsigned, unsigned, std::uint64_t)> handler) {
    error_handler_ = std::move(handler);
  }
  // Nothing moves and nothing will without another doorbell: rings are empty, stopped, or in the
  // middle of a packet whose other pairs have not been released.
  bool at_rest() const;
  const Counters& counters() const { return counters_; }
  unsigned index() const { return index_; }
  dma::Ring::Status ring_status(unsigned ring) const { return rings_.at(ring).status(); }

 private:
  using PacketPtr = std::unique_ptr<dma::Packet>;
  struct Posted {
    std::uint64_t done_fs, bytes;
  };

  void run();
  void fill();
  bool next_packet();
  bool window_full() const;
  bool issue_reads();
  bool barrier_holds(const dma::Packet& packet) const;
  bool source_is_pending(const dma::Packet& packet, const dma::Packet::Source& source) const;
  void wait_for_work();
  void move_pair();
  bool write_destinations(dma::Packet& packet);
  std::uint64_t wait_for_write_room(std::uint64_t begin_fs);
  void finish_packet();
  void drop_packet();
  void stop_ring(unsigned ring, unsigned code, std::uint64_t detail);
  PacketPtr new_packet();

  bool access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, unsigned bytes,
              std::uint64_t& done_fs);
  void doorbell_at(unsigned ring, unsigned pairs, std::uint64_t delay_fs);
  void registers_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned registers_dbg(tlm::tlm_generic_payload& transaction);
  tlm::tlm_response_status read_word(std::uint64_t offset, std::uint32_t& value) const;
  tlm::tlm_response_status write_word(std::uint64_t offset, std::uint32_t value,
                                      std::uint64_t delay);

  const unsigned index_;
  const double gb_per_s_;
  const std::uint64_t start_latency_fs_, overhead_fs_;
  trace::Bus* const trace_;
  trace::TrackId track_ = 0;
  ErrorHandler error_handler_;
  Counters counters_;

  std::array<dma::Ring, kRings> rings_;
  std::array<std::uint64_t, kRings>
      last_write_fs_{};              // when the newest write of a ring is complete
  unsigned last_ring_ = kRings - 1;  // round robin
  dma::Ring::Read fetch_;
  sc_core::sc_event work_;
  tlm::tlm_generic_payload payload_;

  std::deque<PacketPtr> pipeline_;       // packets taken and not finished, in order
  const dma::Packet* moving_ = nullptr;  // the oldest of them while one of its pairs is on the way
  dma::Packet* issuing_ = nullptr;       // the newest of them while reads are missing
  std::vector<PacketPtr> spare_;         // finished packets, kept for their buffers
  // Since when there was room to read ahead but no packet; kNever while there is no room. A packet
  // that became available while a long pair was on the way is noticed at its end, but its reads
  // count from when they could have started.
  std::uint64_t starved_since_fs_ = 0;
  std::uint64_t head_start_fs_ = 0;  // of the packet in issuing_
  std::uint64_t waiting_bytes_ = 0;  // read and not yet begun
  unsigned waiting_pairs_ = 0;
  std::deque<Posted> posted_;  // writes not known to be complete
  std::uint64_t posted_bytes_ = 0;
};

}  // namespace tern
