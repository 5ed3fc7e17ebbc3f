// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/isa.h"

namespace tern {

// "tensor", "vector", ...: the queues of a core and the engines behind them.
constexpr const char* kQueueNames[TERN_QUEUE_COUNT] = {
#define TERN_NAME(number, name) #name,
    TERN_QUEUE_NAMES(TERN_NAME)
#undef TERN_NAME
};

// Engines that compute: the queues before Sync.
constexpr unsigned kComputeQueues = TERN_QUEUE_SYNC;

}  // namespace tern
