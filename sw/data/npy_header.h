// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sw/data/dtype.h"

namespace tern::data {

// The dictionary at the head of an .npy file: {'descr': '<f4', 'fortran_order': False, 'shape': (2,
// 3), }.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// Throws UserError "FILE: .npy header: ..."; `file` is only named in messages.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

std::string format_npy_header(const NpyHeader& header);

}  // namespace tern::data
