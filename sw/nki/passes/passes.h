// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/nki/trace/kernel.h"

// The passes between a traced kernel and its program, in order. Each rewrites the kernel; each
// throws NkiError with the place of the instruction that it cannot handle.
namespace tern::nki {

struct CompileOptions {
  // Memory that is read and never written, products added to nothing, outputs that nothing stores.
  bool check_use = true;
  // Instructions may leave the author's order.
  bool reorder = true;
  // Tiles that do not fit into SBUF go to HBM, where the kernel leaves that to the compiler.
  bool spill = true;
  // Called after each pass with its name.
  std::function<void(const char* pass, const Kernel& kernel)> after;
};

// Every element that the programs of a launch return is stored by one of them.
void check_outputs(const std::vector<Kernel*>& programs);
// Calls come after those that the author has put before them.
void author_order(Kernel& kernel, const CompileOptions& options);
void check_use(Kernel& kernel, const CompileOptions& options);
// Whether a product adds or overwrites, where the author leaves it open: the first product that
// writes a location overwrites it, later ones add.
void accumulate(Kernel& kernel, const CompileOptions& options);
// Without memsets that nothing sees.
void drop_dead(Kernel& kernel, const CompileOptions& options);
// An engine for every instruction without one.
void choose_engines(Kernel& kernel, const CompileOptions& options);
// Tiles that hold what an earlier one holds are that one.
void reuse(Kernel& kernel, const CompileOptions& options);
// Tiles in PSUM that the author has named in SBUF.
void psum_tiles(Kernel& kernel, const CompileOptions& options);
// Operands that the chip's instructions do not take are copied or converted first.
void legalize(Kernel& kernel, const CompileOptions& options);
// What SBUF does not hold: loads are repeated, other tiles are stored and loaded back.
void spill(Kernel& kernel, const CompileOptions& options);
// The order in which the queues get the instructions.
void schedule(Kernel& kernel, const CompileOptions& options);
// Addresses in SBUF and PSUM.
void allocate(Kernel& kernel, const CompileOptions& options);

struct Pass {
  const char* name;
  void (*run)(Kernel& kernel, const CompileOptions& options);
};
const std::vector<Pass>& passes();

// The kernel as text, one line for each tensor and instruction.
std::string print(const Kernel& kernel);

}  // namespace tern::nki
