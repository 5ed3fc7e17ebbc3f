// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/platform/hosted_chip.h"
#include "sw/platform/stuck/stuck_units.h"
#include "sw/platform/tensor_bytes.h"
#include "sw/runtime/runtime.h"

namespace tern::app {

// The chip under test with its host. Everything but the constructor in the host's SystemC thread.
class CheckBench {
 public:
  CheckBench(const ChipConfig& config, const std::vector<StuckBit>& stuck);

  const ChipConfig& config() const { return chip_.config(); }
  HostedChip& hosted() { return chip_; }
  runtime::HostPort& host() { return chip_.host(); }
  runtime::Runtime& runtime();

  // Of a program on a core: its outputs, or why there are none.
  struct Result {
    std::map<std::string, Bytes> outputs;
    std::string failure;
  };
  // On all of these cores at the same time. A core that fails is reset; one that does not come to
  // rest is given up: its later results are failures.
  std::map<unsigned, Result> run(const Executable& program,
                                 const std::map<std::string, Bytes>& inputs,
                                 const std::vector<unsigned>& cores);

  // A program that is executed again and again, with its tensors on a core.
  struct Loaded {
    std::map<std::string, runtime::Buffer> buffers;
    std::unique_ptr<runtime::Program> program;
  };
  Loaded load(const Executable& program, unsigned core);
  // Executes loaded programs of several cores at once; by core why it failed, empty: it has not.
  std::map<unsigned, std::string> execute(std::map<unsigned, Loaded>& loaded);
  // Why a tensor cannot be read: memory with uncorrectable bits. Empty: it was.
  std::string read(const Loaded& loaded, const std::string& tensor, void* data,
                   std::uint64_t bytes);

 private:
  void reset(unsigned core);

  HostedChip chip_;
  StuckMemory stuck_;
  std::unique_ptr<runtime::Runtime> runtime_;
  std::map<unsigned, std::string> given_up_;
};

}  // namespace tern::app
