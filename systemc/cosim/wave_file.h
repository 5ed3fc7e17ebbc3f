// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sw/base/partial_file.h"
#include "systemc/cosim/tensor_rtl.h"

class VerilatedFstC;

namespace tern::cosim {

// An FST of one Verilated block, under its final name only once it is complete. If it cannot be
// completed, FILE.partial stays.
class WaveFile {
 public:
  // `block` is the name the model was given, `top` that of its top module; `attach` adds the
  // model's signals to a writer.
  template <typename Attach>
  WaveFile(const WaveOptions& options, const std::string& block, const std::string& top,
           Attach attach)
      : WaveFile(options, block, top) {
    if (!everything()) {
      attach(fst_.get());
      check_scope();
    }
    attach(fst_.get());
    open();
  }
  ~WaveFile();
  WaveFile(const WaveFile&) = delete;
  WaveFile& operator=(const WaveFile&) = delete;

  // The state of the block `half` a cycle (0 or 1) into `cycle`. The first one is time 0.
  void dump(std::uint64_t cycle, unsigned half);
  // After the second half: what the block's user does now belongs to the next cycle.
  void cycle_ended();

  // For the destructor of the block: the cycles to record after a failure; 0: there was none.
  unsigned cycles_after_failure();

 private:
  WaveFile(const WaveOptions& options, const std::string& block, const std::string& top);
  bool everything() const;
  void open();
  // Throws UserError if the scope is empty. Uses up the writer.
  void check_scope();

  struct Deleter {
    void operator()(VerilatedFstC* fst) const;
  };
  WaveOptions options_;
  int exceptions_;  // in flight when the block was built
  std::string block_, top_;
  base::PartialFile partial_;
  std::optional<std::uint64_t> origin_;  // first cycle dumped
  std::uint64_t last_ = 0;               // time of the newest dump
  std::unique_ptr<VerilatedFstC, Deleter> fst_;
};

}  // namespace tern::cosim
