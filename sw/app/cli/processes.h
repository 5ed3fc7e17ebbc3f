// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "systemc/system/ranks.h"

namespace tern::app {

// The processes that this one was started with: `tern` is alone (null), `tern-mpi` is one of those
// of mpirun. Only the first one prints.
std::unique_ptr<system::Ranks> start_processes(int* argc, char*** argv);

// Set by launch_processes() where the output goes to a terminal.
inline constexpr const char* kOnTerminal = "TERN_MPI_ON_TERMINAL";

// Becomes `mpirun -n RANKS tern-mpi ...` with these arguments. Throws UserError: it cannot.
[[noreturn]] void launch_processes(unsigned ranks, int argc, char** argv);

}  // namespace tern::app
