// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tb/common/bench_inputs.h"
#include "tb/common/mismatch.h"

class VDmaBack;

namespace tern::dma_ports {
struct Request;
struct Stop;
}  // namespace tern::dma_ports

namespace tern::tb {

using Bytes = std::vector<std::uint8_t>;

// A descriptor pair as 8 words: TX, then RX.
struct Pair {
  std::uint32_t tx[4] = {};
  std::uint32_t rx[4] = {};
};

// A packet as the scan would let it through.
struct Packet {
  std::vector<Pair> pairs;
  unsigned op = 0, src_dtype = 0, dst_dtype = 0, crc = 0;
  std::uint32_t crc_expected = 0;
  unsigned ring = 0, traffic_class = 0;
};

// Runs rtl/dma/dma_back at its ports. Gives it packets as the front would, acts as the memory with
// answers after some cycles and in any order, and records all events with their cycles.
class BackDriver {
 public:
  struct Settings {
    unsigned descriptor_cycles = 5;
    unsigned pace = 0;
    unsigned read_latency = 0, write_latency = 0;  // from request to the first beat of the answer
    unsigned spread = 0;                           // up to this many cycles more, at random
    std::uint64_t seed = 0;
  };
  struct Event {
    std::uint64_t cycle;
    std::uint64_t address;
    unsigned bytes;
    unsigned tag;
    unsigned traffic_class;
    unsigned write_op;
    std::vector<std::uint64_t> beats;  // writes: the cycles of its beats
    std::uint64_t answered = 0;        // cycle of the answer's last beat
    unsigned beats_of_answer = 1;
  };
  struct Stop {
    std::uint64_t cycle;
    unsigned packet, pair, fault;  // packet: its number in order of dispatch
    std::uint64_t address;
    bool of_write;
  };
  struct Crc {
    std::uint64_t cycle;
    unsigned packet;
    std::uint32_t value;
    bool wrong;
  };

  BackDriver(const Settings& settings, std::size_t memory_bytes);
  ~BackDriver();

  Bytes& memory() { return memory_; }
  const Bytes& memory() const { return memory_; }
  // Accesses that touch [address, address + bytes) are answered with this error (1, 2).
  void fail(std::uint64_t address, std::uint64_t bytes, unsigned error);
  // From this cycle on the packets of the ring are dead.
  void kill(unsigned ring, std::uint64_t cycle) { kills_[ring] = cycle; }
  // In this cycle the memory answers a write that was never made, with this tag.
  void answer_nothing(std::uint64_t cycle, unsigned tag) { stray_ = {cycle, tag}; }

  // Runs until all packets are complete; fails the test if they do not in time.
  void run(const std::vector<Packet>& packets, std::uint64_t limit = 2000000);
  // Runs some cycles of it. Then a reset: the data path and the memory forget what is in flight.
  void cut(const std::vector<Packet>& packets, std::uint64_t cycles);

  // The memory against what it should hold, all or from `begin` to `end`.
  MismatchLog differences(const Bytes& expected) const {
    return differences(expected, 0, memory_.size());
  }
  MismatchLog differences(const Bytes& expected, std::uint64_t begin, std::uint64_t end) const;
  // The write that left a byte at this address, and the packet that it belongs to.
  Where where(std::uint64_t address) const;

  const std::vector<Event>& reads() const { return reads_; }
  const std::vector<Event>& writes() const { return writes_; }
  const std::vector<Stop>& stops() const { return stops_; }
  const std::vector<Crc>& crcs() const { return crcs_; }
  const std::vector<std::uint64_t>& dispatched() const { return dispatched_; }
  const std::vector<std::uint64_t>& completed() const { return completed_; }
  const std::vector<std::uint64_t>& unknown_answers() const { return unknown_answers_; }

 private:
  struct Answer {
    std::uint64_t ready;
    std::size_t event;
  };

  std::string inputs() const;
  void begin(const std::vector<Packet>& packets);
  void cycle(const std::vector<Packet>& packets);
  void drive_packet(const std::vector<Packet>& packets);
  void drive_pairs(const std::vector<Packet>& packets);
  void drive_answers();
  void observe();
  void observe_write();
  Event request(const dma_ports::Request& port) const;
  void observe_stop(const dma_ports::Stop& stop, bool of_write);
  void store(const Event& event, const Bytes& data);
  unsigned error_of(const Event& event) const;
  std::uint64_t delay(unsigned latency);

  Settings settings_;
  struct Dut;
  std::unique_ptr<Dut> dut_;
  VDmaBack* rtl_;
  std::mt19937_64 random_;
  Bytes memory_;
  std::uint64_t cycle_ = 0;
  std::vector<Event> reads_, writes_;
  std::vector<Answer> read_answers_, write_answers_;
  std::size_t answering_ = SIZE_MAX;  // the read whose beats are on the port
  unsigned beat_ = 0;
  Bytes written_;
  std::vector<std::uint64_t> written_beats_;
  std::vector<Stop> stops_;
  std::vector<Crc> crcs_;
  std::vector<Packet> packets_;        // of the last run
  std::size_t next_ = 0, oldest_ = 0;  // packets in order of dispatch
  std::vector<std::uint64_t> dispatched_, completed_;
  std::map<std::uint64_t, std::pair<std::uint64_t, unsigned>> failures_;  // begin: end, error
  std::map<unsigned, std::uint64_t> kills_;
  std::pair<std::uint64_t, unsigned> stray_{UINT64_MAX, 0};
  std::vector<std::uint64_t> unknown_answers_;
  std::map<unsigned, std::uint64_t> stopped_;  // ring: first cycle in which its packets are dead
  BenchInputs inputs_{[this] { return inputs(); }};
};

}  // namespace tern::tb
