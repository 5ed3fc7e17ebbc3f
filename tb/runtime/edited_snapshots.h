// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sw/platform/hosted_chip.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"

namespace tern::tb {

// A small chip that is restored from the state of another one with some bytes changed, as from the
// file of somebody who has made the checksum right. One per process.
class EditedSnapshots {
 public:
  EditedSnapshots();

  // Each edit: a position (4 bytes, modulo the size of the state) and a byte that is put there.
  // The chip then works a little. Returns the message of the refusal; empty: it was restored.
  // Everything but a refusal, and an error of the work, goes on.
  std::string offer(const std::string& edits);

 private:
  struct Side {
    explicit Side(const std::string& name);
    void prepare();
    void work();

    HostedChip chip;
    std::unique_ptr<runtime::Runtime> runtime;
    std::unique_ptr<runtime::Buffer> buffer;
  };
  std::string good_state();
  void restore(const std::string& state);

  Simulation simulation_;
  Side good_, edited_;
};

}  // namespace tern::tb
