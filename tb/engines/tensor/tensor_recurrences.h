// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// The timing table of rtl/tensor/README.md, literally: every earlier command is kept and checked.
// Shares no code with the model.
class TensorRecurrences {
 public:
  explicit TensorRecurrences(const TensorShape& shape) : shape_(shape) {}

  // Cycle of the status of a command pushed in cycle a.
  std::uint64_t push(std::uint64_t a, const TensorCommand& command, bool accepted);

  // A transfer that starts in cycle c: the cycle in which it is finished, if no command follows.
  std::uint64_t transfer_end(std::uint64_t c, unsigned column, unsigned columns) const;

  std::uint64_t weight_stalls() const { return weight_stalls_; }

 private:
  struct Entry {
    TensorCommand command;
    bool accepted;
    std::uint64_t issue;
  };
  std::uint64_t length(const TensorCommand& c) const;
  std::uint64_t columns(const TensorCommand& c) const;
  std::uint64_t delay(const TensorCommand& c) const;
  bool shares_cells(const TensorCommand& a, const TensorCommand& b) const;
  bool shares_columns(const TensorCommand& a, const TensorCommand& b) const;
  bool shares_banks(const TensorCommand& a, const TensorCommand& b) const;
  // A bit for each bank that column n of the command, all slots, is written to.
  std::uint64_t bank_of(const TensorCommand& c, std::uint64_t n) const;
  std::uint64_t after(const Entry& earlier, const TensorCommand& c) const;
  std::uint64_t weights_after(const Entry& earlier, const TensorCommand& c) const;

  TensorShape shape_;
  std::vector<Entry> entries_;
  std::uint64_t last_retire_ = 0, weight_stalls_ = 0;
};

}  // namespace tern::tb
