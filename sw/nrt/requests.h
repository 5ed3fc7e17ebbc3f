// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/nrt/instance.h"

// Requests on tensors and models, with the tables locked. Throw StatusError.
namespace tern::nrt {

CompletionPtr schedule_access(Instance& instance, const nrt_tensor_t* tensor, void* buffer,
                              std::uint64_t offset, std::uint64_t bytes, bool write,
                              const Report& report);
CompletionPtr schedule_copy(Instance& instance, const nrt_tensor_t* from, std::uint64_t from_offset,
                            const nrt_tensor_t* to, std::uint64_t to_offset, std::uint64_t bytes,
                            const Report& report);
CompletionPtr schedule_execution(Instance& instance, const nrt_model_t* model,
                                 const nrt_tensor_set_t* inputs, const nrt_tensor_set_t* outputs,
                                 const Report& report);

}  // namespace tern::nrt
