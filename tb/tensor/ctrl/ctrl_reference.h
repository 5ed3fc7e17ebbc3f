// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"
#include "tb/tensor/ctrl/ctrl_wave.h"
#include "tb/tensor/ramp_oracle.h"

namespace tern::tb {

using Cycle = std::int64_t;

// Code of everything that does not depend on the loaded weights.
unsigned check_command(const TensorShape& shape, const TensorCommand& c);

// Facts about a legal command.
bool is_load(const TensorCommand& c);
bool is_move(const TensorCommand& c);
bool is_transpose(const TensorCommand& c);
bool on_array_x(const TensorCommand& c);
int element_bytes(TensorType type);
// Of column n from the operand's first element, in elements.
std::int64_t column_offset(const TensorCommand& c, std::int64_t n);
// A load or transpose reads four columns a cycle: they follow one another from a multiple of eight
// bytes on.
bool in_fours(const TensorCommand& c);
int kept(TensorSparsity sparsity);    // M of the pattern
int planes(TensorSparsity sparsity);  // C = N/M

// The result of one command.
struct Fate {
  Cycle issue = 0, complete = 0;
  Cycle stalled = 0;  // cycles before the issue in which only the weights were missing
  unsigned code = 0, slot = 0;
  std::int64_t columns = 0, macs = 0;  // of an issued MultiplyMoving
  Members dest;                        // empty: writes no PSUM
};

// The rules of rtl/tensor/README.md as a recurrence over commands.
class CtrlReference {
 public:
  explicit CtrlReference(const TensorShape& shape);
  Fate next(const TensorCommand& c, Cycle accepted);
  // Expected waves by stream and cycle.
  std::map<Cycle, Members>& waves(unsigned stream) { return waves_[stream]; }

 private:
  struct Cell {
    bool valid = false, pending = false;
    unsigned load = 0;  // index into loads_
    Cycle busy = 0, ready = 0;
  };
  struct Span {
    unsigned first, last;
  };
  Span row_groups(const TensorCommand& c) const;
  Span col_groups(const TensorCommand& c) const;
  std::vector<unsigned> cells_of(const TensorCommand& c) const;
  bool weights_agree(const TensorCommand& c) const;
  Cycle latency(const TensorCommand& c) const;
  // Cycles by which array X reads the last partitions earlier than array A.
  Cycle ahead() const { return (shape_.rows - shape_.rows / 8) * shape_.stages; }
  std::set<unsigned> windows_of(const TensorCommand& c) const;

  void issue_load(const TensorCommand& c, Fate* fate);
  void issue_move(const TensorCommand& c, Fate* fate);
  void issue_transpose(const TensorCommand& c, Fate* fate);
  void write_psum(const TensorCommand& c, Fate* fate);
  Cycle window_free(const TensorCommand& c) const;
  void send(unsigned stream, Cycle cycle, Members wave);
  void send_load(const TensorCommand& c, Cycle s, unsigned slot);
  void send_move(const TensorCommand& c, Cycle t, unsigned slot, bool swap);

  TensorShape shape_;
  RampOracle ramp_;
  std::vector<TensorCommand> loads_;
  std::vector<Cell> cells_;
  std::vector<Cell> array_x_;  // by row group
  Cycle last_issue_ = 0, load_free_ = 0, shadow_free_ = 0;
  Cycle x_load_free_ = 0, x_move_free_ = 0, random_end_ = 0;
  Cycle quad_end_ = 0;  // of the last quad multiply at the ports of the upper row groups
  std::map<unsigned, Cycle> window_end_;  // by 4*bank + column group
  unsigned issued_ = 0;
  std::vector<std::map<Cycle, Members>> waves_;
};

}  // namespace tern::tb
