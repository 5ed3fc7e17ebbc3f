// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/region.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

void accumulate(Kernel& kernel, const CompileOptions& /*options*/) {
  std::vector<Region> started(kernel.storages.size());  // by products
  for (Instruction& instruction : kernel.instructions) {
    for (const Operand& operand : instruction.operands) {
      const Storage& storage = operand.view.storage();
      if (storage.memory != Memory::kPsum || !operand.rule->writes()) continue;
      Region& region = started[storage.id];
      const Footprint bytes = footprint(operand.view);
      const std::string_view name = instruction.signature->name;
      if (name != "nc_matmul" && name != "nc_matmul_mx") {
        region.remove(bytes);  // another instruction's results: a product replaces them
        continue;
      }
      std::optional<bool>& flag = instruction.options.accumulate;
      if (!flag && (operand.view.moved() != nullptr || storage.loop != instruction.loop)) {
        throw NkiError("nc_matmul: whether it adds to `" + operand.view.text() +
                           "` depends on the iteration of a loop or on an offset: give accumulate=",
                       instruction.site, NkiError::Kind::kNotSupported);
      }
      if (!flag) {
        flag = region.contains_all(bytes);
        if (!*flag && region.contains_any(bytes)) {
          throw NkiError("nc_matmul: a part of `" + operand.view.text() +
                             "` has been written by earlier products, another has not: not "
                             "supported, give accumulate=",
                         instruction.site, NkiError::Kind::kNotSupported);
        }
      }
      region.add(bytes);
    }
  }
}

}  // namespace tern::nki
