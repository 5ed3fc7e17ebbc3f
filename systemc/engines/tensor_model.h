// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "systemc/engines/aligned_vector.h"
#include "systemc/engines/tensor_datapath.h"
#include "systemc/engines/tensor_kernel.h"

namespace tern {

// What the engine did since its construction. Rejected commands count as such and nowhere else.
struct TensorCounters {
  std::uint64_t load_stationary = 0;
  std::uint64_t multiply_moving = 0;
  std::uint64_t rejected = 0;
  std::uint64_t columns = 0;      // moving columns streamed: the sum of N, one cycle each
  std::uint64_t macs = 0;         // the sum of N * K * M
  std::uint64_t busy_cycles = 0;  // with at least one command accepted and not yet retired

  // Share of the array's multiply-accumulates used in `cycles` cycles, 0 to 1.
  double utilisation(const TensorShape& shape, std::uint64_t cycles) const;
};

// Whether the engine takes the command; checks in the order of the codes. `loaded` is the last
// LoadStationary taken, null if there is none.
TensorStatusCode check_tensor_command(const TensorShape& shape, const TensorCommand& command,
                                      const TensorCommand* loaded);

// When commands issue and retire: the recurrences of README.md.
class TensorTimeline {
 public:
  explicit TensorTimeline(const TensorShape& shape) : shape_(shape) {}

  struct Slot {
    std::uint64_t issue = 0;
    std::uint64_t retire = 0;
  };
  // A command pushed in cycle `now`, in program order.
  Slot load_stationary(std::uint64_t now, unsigned cols);
  Slot multiply_moving(std::uint64_t now, unsigned columns);
  Slot rejected(std::uint64_t now);

 private:
  Slot finish(std::uint64_t issue, std::uint64_t complete);

  TensorShape shape_;
  // Earliest cycles still allowed. Cycle 0 is never an issue cycle, because a push precedes every
  // issue.
  std::uint64_t next_issue_ = 0;
  std::uint64_t next_load_ = 0;      // end of the transfer of the previous LoadStationary
  std::uint64_t next_multiply_ = 0;  // issue interval of the previous MultiplyMoving
  // When the last stationary may be taken. Once taken it no longer binds: later commands issue
  // later still.
  std::uint64_t stationary_ready_ = 0;
  std::uint64_t next_retire_ = 0;
};

// The fast model of the tensor engine: same bits and same cycles as the RTL. Everything is computed
// when a command is pushed; only its status waits for its cycle.
class TensorModel : public TensorDatapath {
 public:
  // `kernel`: null takes the fastest this host can run.
  TensorModel(const TensorShape& shape, SbufView sbuf, TensorKernel kernel = nullptr);

  const TensorShape& shape() const override { return shape_; }
  std::uint64_t cycle() const override { return cycle_; }
  bool ready() const override;
  void push(const TensorCommand& command) override;
  std::uint64_t next_event() const override;
  void advance_to(std::uint64_t cycle) override;
  void skip_to(std::uint64_t cycle) override;
  bool pop_status(TensorStatus* status) override;
  void psum_start(const PsumTransfer& transfer) override;
  bool psum_busy() const override { return false; }
  void set_observer(PsumObserver* observer) override { observer_ = observer; }

  const TensorCounters& counters() const { return counters_; }

 private:
  struct Stationary {
    TensorCommand command;
    AlignedVector<float> panels;  // [lane / kLanes][row][kLanes], widened, zero beyond cols
  };

  void load(const TensorCommand& command);
  void multiply(const TensorCommand& command);
  // Lanes [lane, lane + height) and PSUM columns [column, column + width): at most one register
  // tile.
  void run_tile(TensorTile& tile, std::size_t lane, std::size_t height, std::size_t column,
                std::size_t width);
  void report(const TensorCommand& command, std::uint64_t issue);
  float* psum_at(std::size_t partition, std::size_t column) {
    return psum_.data() + partition * psum_pitch_ + column;
  }
  // Commands that hold a place in the queue in cycle `at`.
  bool has_room(std::uint64_t at) const;

  TensorShape shape_;
  SbufView sbuf_;
  TensorKernel kernel_;
  TensorTimeline timeline_;
  TensorCounters counters_;
  PsumObserver* observer_ = nullptr;

  std::optional<Stationary> stationary_;
  AlignedVector<float> panel_;  // the moving columns of one tile: [row][kColumns], widened
  AlignedVector<float> psum_;   // partition-major
  std::size_t psum_pitch_;

  std::uint64_t cycle_ = 0;
  bool pushed_ = false;  // in this cycle
  std::deque<std::uint64_t>
      retires_;  // of accepted commands, from the oldest that may hold a place
  std::deque<TensorStatus> statuses_;  // not popped yet, in program order
  std::uint64_t busy_until_ = 0;
};

}  // namespace tern
