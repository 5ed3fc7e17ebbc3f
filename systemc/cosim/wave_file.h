// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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
      : WaveFile(options, block, top, std::function<void(VerilatedFstC*)>(attach)) {}
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
  WaveFile(const WaveOptions& options, const std::string& block, const std::string& top,
           std::function<void(VerilatedFstC*)> attach);
  bool everything() const;
  // The file that is written: a part of a chip's wave is nobody's result yet.
  std::string path() const;
  // A new writer and its file.
  void open();
  // Throws UserError if the scope is empty.
  void check_scope();
  void dump_part(std::uint64_t cycle, unsigned half);

  struct Deleter {
    void operator()(VerilatedFstC* fst) const;
  };
  WaveOptions options_;
  int exceptions_;  // in flight when the block was built
  std::string block_, top_;
  std::function<void(VerilatedFstC*)> attach_;
  std::optional<base::PartialFile> partial_;  // but not of a part
  unsigned turn_ = 0;                         // of the two files of a part whose end is kept
  std::optional<std::uint64_t> file_begin_;   // of this one
  std::optional<std::uint64_t> origin_;       // first cycle dumped
  std::uint64_t last_ = 0;                    // time of the newest dump
  std::unique_ptr<VerilatedFstC, Deleter> fst_;
};

}  // namespace tern::cosim
