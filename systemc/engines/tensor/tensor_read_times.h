// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "systemc/engines/tensor/tensor_records.h"
#include "systemc/engines/tensor/tensor_timeline.h"

namespace tern {

// When a tensor datapath has read the operands of its commands, from the cycles in which they are
// pushed: the same for model and RTL (rtl/tensor/README.md, "Timing").
class TensorReadTimes {
 public:
  explicit TensorReadTimes(const TensorShape& shape) : shape_(shape), timeline_(shape) {}

  // A command pushed in cycle `now`, in program order: from the returned cycle on its operands in
  // SBUF may be overwritten. None if the engine rejects the command.
  std::optional<std::uint64_t> pushed(std::uint64_t now, const TensorCommand& command);

  // From this cycle on the next command waits for nothing that came before it.
  std::uint64_t settled() const { return timeline_.settled(); }
  // For a snapshot, in that cycle or later.
  void archive_state(base::StateArchive& archive) { records_.archive_state(archive, shape_); }

 private:
  TensorShape shape_;
  TensorTimeline timeline_;
  TensorRecords records_;
};

}  // namespace tern
