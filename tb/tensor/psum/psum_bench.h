// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/common/bench_inputs.h"
#include "tb/tensor/psum/psum_reference.h"

class VTensorPsum;

namespace tern::tb {

inline constexpr unsigned kGroups = 4;
inline constexpr unsigned kGroupLanes = kLanes / kGroups;
inline constexpr unsigned kRawPort = 4;

// The write of a command to PSUM: its columns come one a cycle on the column groups `groups` of a
// port (quad: all four ports).
struct Stream {
  Destination destination;
  unsigned port = 3;
  unsigned groups = 0xF;
  unsigned wait = 1;                        // cycles between the destination and the first column
  std::vector<std::array<Row, 4>> columns;  // quad: four rows, otherwise the first
};

// Column groups that the lanes of a tile need.
unsigned groups_of(const Destination& destination);

struct Access {
  bool write = false;
  unsigned bank = 0, column = 0;  // bank kBanks: the generators' state
  unsigned start = 0, count = kLanes;
  Row data{};
};

// tensor_psum next to its reference, cycle by cycle. Every output is compared in every cycle; the
// first mismatch ends the test.
class PsumBench {
 public:
  PsumBench();
  ~PsumBench();

  // Taken in the coming cycle (one a cycle).
  void start(Stream stream);
  bool can_start(const Stream& stream) const;  // its ports, banks, slot and generators are free

  // Offered from the coming cycle on until taken; one at a time.
  void access(const Access& access) { access_ = access; }
  bool access_pending() const { return access_.has_value(); }
  unsigned refusals() const { return refusals_; }

  void step();
  void drain();  // until nothing is in flight
  void reset();  // between two cycles: what is in flight is lost, the memories keep their words
  bool busy() const;
  unsigned streams() const { return static_cast<unsigned>(active_.size()); }

  // Through the access port, compared with the reference.
  Row read(unsigned bank, unsigned column);
  void write(unsigned bank, unsigned column, const Row& data);
  void check_all_memory();

  PsumReference& reference() { return reference_; }
  // Garbage on the sums of idle ports differs from cycle to cycle.
  void seed(std::uint64_t seed) { noise_ = seed * 2 + 1; }

 private:
  struct Active {
    Stream stream;
    unsigned slot = 0, next = 0, wait = 0;
  };
  // A column in stage 2.
  struct Column {
    Destination destination;
    unsigned port, groups, slot, index, quad_slot;
    Row data;
  };

  void drive_columns();
  void drive_sums();
  void drive_access();
  void check_access_ready();
  void check_retired();
  void check_done();
  void check_rdata();
  void take_access();
  std::uint32_t noise();
  [[noreturn]] void fail(const std::string& port, std::uint64_t got, std::uint64_t expected) const;
  std::string inputs() const;

  struct Dut;
  std::unique_ptr<Dut> holder_;
  VTensorPsum* dut_;
  PsumReference reference_;
  std::uint64_t noise_ = 1;
  std::uint64_t cycle_ = 0;
  unsigned refusals_ = 0;

  std::optional<Active> starting_;
  std::vector<Active> active_;
  std::vector<Column> stage1_, stage2_;
  unsigned next_slot_ = 0;
  unsigned slots_used_ = 0;
  std::array<unsigned, 3> done_{};        // masks: of stage 1, of stage 2, shown
  std::optional<Access> access_, taken_;  // taken in the cycle before
  Row overwritten_{};                     // by the access that was taken, if it writes
  std::optional<Row> rdata_;              // expected in the coming cycle
  Row last_read_{};
  BenchInputs inputs_{[this] { return inputs(); }};
};

}  // namespace tern::tb
