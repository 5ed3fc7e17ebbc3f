// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/fpga/board.h"
#include "systemc/engines/tensor/chain_device.h"

namespace tern {

// Products of any size on the array of a board: groups of columns one after the other, chains of
// all rows. PSUM stays here; what is accumulated goes there and comes back.
class FpgaChains : public ChainDevice {
 public:
  explicit FpgaChains(std::unique_ptr<fpga::Board> board);
  void multiply(const ChainProduct& product) override;

  const fpga::Board& board() const { return *board_; }

 private:
  using Words = std::vector<std::uint32_t>;

  // A part of a product: all of its rows and lanes, some of its columns.
  struct Part {
    std::size_t first, columns;
  };
  std::size_t groups_of(const ChainProduct& product) const;
  std::size_t sets_of(const ChainProduct& product) const;  // of Cols lanes
  void put_weights(const ChainProduct& product);
  void put_moving(const ChainProduct& product, const Part& part);
  void run_sets(const ChainProduct& product, const Part& part, std::size_t first, std::size_t sets);
  void to_sbuf(std::size_t address, const Words& words);

  std::unique_ptr<fpga::Board> board_;
  Words weights_;  // in SBUF, from its first word on
};

}  // namespace tern
