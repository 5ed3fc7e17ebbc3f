// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sw/kernels/builder/memory/hazards.h"
#include "sw/kernels/builder/memory/views.h"

namespace tern::kernels {

// What a program has written so far, to find reads of what nothing has written. On chip by bytes of
// a partition, whichever partitions they are on: an instruction may read more than was written, but
// something of it must have been. In HBM by tensor.
class UseCheck {
 public:
  // A new tile: what was there before is none of its data.
  void allocated(const Tile& tile);
  void released(const Tile& tile);
  void wrote(const HazardMap::Access& access);
  // Whether something has written a part of it.
  bool written(const HazardMap::Access& access) const;
  bool written_tensor(std::uint32_t tensor) const { return tensors_.count(tensor) != 0; }
  // "tile 'x'": what is there.
  std::string holder(const HazardMap::Access& access) const;

 private:
  // Ranges of bytes, begin to end, apart from one another.
  using Ranges = std::map<std::uint64_t, std::uint64_t>;
  static void remove(Ranges* ranges, std::uint64_t begin, std::uint64_t end);
  static std::uint64_t bytes_of(const Tile& tile);

  struct Holder {
    std::uint64_t end = 0;
    std::string name;
  };
  Ranges on_chip_[2];  // SBUF, PSUM
  std::map<std::uint64_t, Holder> holders_[2];
  std::set<std::uint32_t> tensors_;
};

}  // namespace tern::kernels
