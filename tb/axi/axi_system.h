// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <VAxiDma.h>
#include <VAxiLiteChecker.h>
#include <VAxiReadChecker.h>
#include <VAxiWriteChecker.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/mismatch.h"
#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// axi_dma between software, which uses its registers, and a memory with any pace. A checker watches
// each interface.
class AxiSystem {
 public:
  // pace: of 4 chances, how many each handshake takes.
  AxiSystem(std::uint64_t seed, unsigned pace);
  AxiSystem(const AxiSystem&) = delete;
  AxiSystem& operator=(const AxiSystem&) = delete;

  SparseMemory memory;
  // Response to an access of a line of 64 bytes.
  std::function<unsigned(std::uint64_t line, bool write)> fate;
  unsigned reads = 0, writes = 0;  // bursts

  // Register accesses through the bus; return the response.
  unsigned write_register(unsigned offset, std::uint32_t value);
  unsigned read_register(unsigned offset, std::uint32_t* value);
  void cycle();
  bool rest() const { return block_.model.rest_o != 0; }
  void reset();
  // Broken rules: none.
  const MismatchLog& log() const { return log_; }

 private:
  struct ReadBurst {
    std::uint64_t line;
    unsigned beats;
  };
  struct WriteBurst {
    std::uint64_t line;
    unsigned beats, written;
  };
  struct WriteBeat {
    std::array<std::uint8_t, 64> bytes;
    std::uint64_t strobes;
  };
  // A port that reads: what the memory owes, and whether it offers a beat.
  struct ReadPort {
    std::deque<ReadBurst> bursts;
    bool offers = false;
    unsigned response = 0;
  };

  bool chance() { return random_() % 4 < pace_; }
  unsigned response_of(std::uint64_t line, bool write) { return fate ? fate(line, write) : 0; }
  template <typename Ar, typename R, typename Data>
  void offer_beat(ReadPort& port, Ar& ar_ready, R& r_valid, R& r_last, R& r_resp, Data& data);
  void take_write_beats();
  void await(const CData& valid, const std::function<void()>& offer);
  void take(CData& ready);
  void watch();
  void check(const char* interface, std::uint64_t broken);

  std::mt19937_64 random_;
  unsigned pace_;
  cosim::RtlModel<VAxiReadChecker> fetch_rules_, read_rules_;
  cosim::RtlModel<VAxiWriteChecker> write_rules_;
  cosim::RtlModel<VAxiLiteChecker> register_rules_;
  cosim::RtlBlock<VAxiDma> block_;
  ReadPort fetch_, read_;
  std::deque<WriteBurst> open_;   // addresses whose data are not complete
  std::deque<WriteBeat> beats_;   // data whose address has not come
  std::deque<unsigned> answers_;  // responses that the memory owes
  unsigned worst_ = 0;
  bool answers_offered_ = false;
  std::string inputs_;
  MismatchLog log_;
  BenchInputs shown_{[this] { return inputs_; }};
};

}  // namespace tern::tb
