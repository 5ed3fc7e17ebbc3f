// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/tensor/tensor_records.h"

namespace tern {

// Whether the engine takes the command: the first status code of rtl/tensor/README.md that applies.
TensorStatusCode check_tensor_command(const TensorShape& shape, const TensorCommand& command,
                                      const TensorRecords& records);

}  // namespace tern
