// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/instruction/operand_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"

namespace tern {

std::string place(const tern_ap_t& raw) {
  const AccessPattern ap(raw);
  return fmt::format("{}[{}]+{:#x}", ap.psum ? "psum" : "sbuf", ap.partition, ap.byte);
}

std::string place(std::uint32_t address) {
  return place(tern_ap_t{address, 1, 1, 1, 0});
}

std::string_view format_name(unsigned dtype) {
  return numerics::dtype_name(static_cast<numerics::DType>(dtype));
}

std::string describe_index(const Operation&, unsigned index) {
  return fmt::format(R"({{"index":{}}})", index);
}

std::string describe_elementwise(const Operation& operation, unsigned index) {
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  const AccessPattern dst(in.dst, operation.extension.dst_outer);
  const AccessPattern src(in.src0, operation.extension.src0_outer);
  const std::string from = in.src0_dtype == 0 ? "" : fmt::format(R"(,"src0":"{}")", place(in.src0));
  return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}"{}}})", index, in.partitions,
                     std::max(dst.count(), src.count()), place(in.dst), from);
}

}  // namespace tern
