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
// Queues that programs of kernels are written for; those after them are collective cores.
constexpr unsigned kEngineQueues = TERN_QUEUE_CC0;
constexpr unsigned kCollectiveCores = TERN_QUEUE_COUNT - kEngineQueues;

}  // namespace tern
