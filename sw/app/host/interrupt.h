// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace tern::app {

// From now on SIGINT, SIGTERM and SIGHUP raise the returned flag instead of killing the process, so
// that a run stops in an orderly way and leaves no half-written file. A second signal kills at
// once. Under nohup SIGHUP stays ignored.
const std::atomic<bool>* catch_interrupts();

}  // namespace tern::app
