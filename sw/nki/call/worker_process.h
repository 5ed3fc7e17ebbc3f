// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "sw/nki/call/run_message.h"

namespace tern::nki {

// Starts `program` (tern) as a process that simulates one run, and waits for its answer. `stop` is
// asked several times a second: once it is true, the process is ended and RunError thrown.
// UserError and RunError for the errors that the process reports; RunError if it ends without an
// answer.
RunResponse run_in_process(const std::string& program, const RunRequest& request,
                           const std::function<bool()>& stop);

// Files of a message in memory: what is at this descriptor, from the start; written as a whole.
std::string read_message(int file);
void write_message(int file, const std::string& bytes);

}  // namespace tern::nki
