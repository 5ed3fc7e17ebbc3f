// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

#include "sw/layers/layers.h"

namespace tern::layers {

// SBUF for matrices. Unused memory is freed after a delay: memory that is allocated
// again at once would make the next instruction wait for the last reader.
class Layers::Memory : public std::enable_shared_from_this<Layers::Memory> {
 public:
  explicit Memory(KernelBuilder& kb) : kb_(kb) {}

  // A tile of all partitions until the end of its lifetime.
  struct Lease {
    Lease(std::shared_ptr<Memory> from, kernels::Tile taken)
        : memory(std::move(from)), tile(std::move(taken)) {}
    ~Lease() { memory->retired_.push_back(tile); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    std::shared_ptr<Memory> memory;
    kernels::Tile tile;
  };
  std::shared_ptr<const Lease> allocate(std::uint32_t elements, DType dtype, SourceLine where);

 private:
  static constexpr std::size_t kKept = 8;

  KernelBuilder& kb_;
  std::deque<kernels::Tile> retired_;
};

}  // namespace tern::layers
