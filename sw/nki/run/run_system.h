// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/nki/call/run_message.h"
#include "sw/nki/call/worker_process.h"

namespace tern::nki {

// A request of several chips (RunRequest::system): its ranks on their cores. UserError for what it
// asks that a single chip has only.
RunResponse run_on_system(const RunRequest& request, const Message& message);

}  // namespace tern::nki
