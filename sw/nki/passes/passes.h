// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/nki/trace/kernel.h"
#include "sw/nki/trace/nki_error.h"

// The passes between a traced kernel and its program, in order. Each rewrites the kernel; each
// throws NkiError with the place of the instruction that it cannot handle.
namespace tern::nki {

struct CompileOptions {
  // Memory that is read and never written, products added to nothing, outputs that nothing stores.
  bool check_use = true;
  // Instructions by which a load may be ahead of its place; 0: program order.
  std::size_t prefetch = 64;
  // Called after each pass with its name.
  std::function<void(const char* pass, const Kernel& kernel)> after;
};

void check_use(Kernel& kernel, const CompileOptions& options);
// Whether a product adds or overwrites, where the author leaves it open: the first product that
// writes a location overwrites it, later ones add.
void accumulate(Kernel& kernel, const CompileOptions& options);
// Without memsets that nothing sees.
void drop_dead(Kernel& kernel, const CompileOptions& options);
// An engine for every instruction without one.
void choose_engines(Kernel& kernel, const CompileOptions& options);
// Operands that the chip's instructions do not take are copied or converted first.
void legalize(Kernel& kernel, const CompileOptions& options);
// Loads move ahead; the rest keeps program order.
void schedule(Kernel& kernel, const CompileOptions& options);
// Addresses in SBUF and PSUM.
void allocate(Kernel& kernel, const CompileOptions& options);

// What allocate() throws when a memory is full.
class MemoryExhausted : public NkiError {
  using NkiError::NkiError;
};

struct Pass {
  const char* name;
  void (*run)(Kernel& kernel, const CompileOptions& options);
};
const std::vector<Pass>& passes();

// The kernel as text, one line for each tensor and instruction.
std::string print(const Kernel& kernel);

}  // namespace tern::nki
