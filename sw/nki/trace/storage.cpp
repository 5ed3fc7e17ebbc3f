// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/storage.h"

namespace tern::nki {

std::string memory_name(Memory memory) {
  switch (memory) {
    case Memory::kSbuf:
      return "sbuf";
    case Memory::kPsum:
      return "psum";
    case Memory::kHbm:
      return "hbm";
  }
  return "?";
}

std::int64_t Storage::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace tern::nki
