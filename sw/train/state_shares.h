// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"
#include "sw/train/initial_state.h"
#include "sw/train/model.h"

// The state of a training of several ranks in shares, so that each byte of it is saved once: ranks
// that have the same part of a tensor divide it.
namespace tern::train {

// A rectangle of a rank's part of a tensor: some whole rows, or some columns of its only row.
struct StateShare {
  std::size_t tensor = 0;  // of the state
  std::uint64_t row = 0, rows = 0, column = 0, columns = 0;
  std::uint64_t place = 0;  // its first byte in the copy that a rank keeps
};

struct StateShares {
  std::vector<std::vector<StateShare>> of_rank;
  std::vector<std::uint64_t> bytes;  // of a rank's copy
};
StateShares shares_of(const std::vector<Model>& models);

std::string kept_name(const StateTensor& tensor);
// A program of a rank alone that copies its shares within HBM: from the tensors of the state, as
// the rank has them, to outputs of their own (kept_name).
Executable build_state_copy(const ChipConfig& chip, const Model& model,
                            const std::vector<StateShare>& shares);

// The whole state again, of all ranks' copies.
State state_of(const std::vector<Model>& models, const StateShares& shares,
               const std::vector<std::vector<std::uint8_t>>& copies);

}  // namespace tern::train
