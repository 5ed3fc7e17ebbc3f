// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/base/source_line.h"
#include "sw/kernels/builder/memory/use_check.h"
#include "sw/kernels/builder/memory/views.h"

namespace tern::kernels {

class BuilderCore;

// N tiles of the same size used in rotation: the i-th tile() is the memory of the (i - N)-th, whose
// users it waits for.
class TilePool {
 public:
  Tile tile(const std::string& name, unsigned partitions, std::uint32_t free, DType dtype,
            SourceLine where = SourceLine::here());

 private:
  friend class BuilderCore;
  Space space_ = Space::kSbuf;
  std::string name_;
  std::uint32_t bytes_ = 0;
  std::vector<std::uint32_t> addresses_;
  std::size_t next_ = 0;
  std::shared_ptr<UseCheck> use_;  // its builder's
};

}  // namespace tern::kernels
