// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "systemc/cosim/tensor_rtl.h"

class VerilatedFstC;

namespace tern::cosim {

// An FST of one Verilated block, under its final name only once it is complete.
class WaveFile {
 public:
  // `top` is the name of the block's top module, `attach` adds the model's signals to the file.
  template <typename Attach>
  WaveFile(const WaveOptions& options, const std::string& top, Attach attach) : WaveFile(options) {
    attach(fst());
    open(top);
  }
  ~WaveFile();
  WaveFile(const WaveFile&) = delete;
  WaveFile& operator=(const WaveFile&) = delete;

  // The state of the block `half` a cycle (0 or 1) into `cycle`.
  void dump(std::uint64_t cycle, unsigned half);

 private:
  explicit WaveFile(const WaveOptions& options);
  VerilatedFstC* fst() { return fst_.get(); }
  void open(const std::string& top);

  struct Deleter {
    void operator()(VerilatedFstC* fst) const;
  };
  WaveOptions options_;
  std::string partial_;
  std::unique_ptr<VerilatedFstC, Deleter> fst_;
};

}  // namespace tern::cosim
