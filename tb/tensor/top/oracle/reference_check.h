// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// Row groups and column groups of array A that a tile claims.
struct Claim {
  unsigned row_first, row_last, col_first, col_last;
};
Claim claim_of(const TensorShape& shape, const TensorCommand& command);

bool on_array_x(const TensorCommand& command);
std::uint64_t columns_of(const TensorCommand& command);  // N: columns written to PSUM
bool half_elements(const TensorCommand& command);        // 16-bit elements in PSUM
// The columns of a load or transpose are a run of memory that begins on eight bytes.
bool four_at_a_time(const TensorCommand& command);
// Columns of a bank in elements of the destination.
unsigned bank_elements(const TensorShape& shape, const TensorCommand& command);

// The first violation among codes 1 to 5, and among 7 and 8; kOk if there is none.
TensorStatusCode check_fields(const TensorShape& shape, const TensorCommand& command);
TensorStatusCode check_places(const TensorShape& shape, const TensorCommand& command);

}  // namespace tern::tb
