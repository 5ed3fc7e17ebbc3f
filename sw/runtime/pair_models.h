// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sw/runtime/descriptor_pair.h"

namespace tern {

// How pairs of a ring are stored, in memory (pair_list.h) and in files
// (docs/reference/program-file.md): a transfer of many rows has as many pairs, which differ by the
// same steps, and such a pair takes one byte, its head. It says by which of four models a pair is
// described: rows of several tensors and the writes of their semaphores alternate.
class PairModels {
 public:
  // What follows the head: nothing; two steps, from here on; two steps for this pair alone, as the
  // first of a transfer's rows has; the pair without its flags.
  enum class Form : std::uint8_t { kSameSteps, kNewSteps, kOtherSteps, kWhole, kCount };
  struct Steps {
    std::uint64_t source = 0, destination = 0;
  };

  // Storing: the head of the next pair, whose model it becomes.
  std::uint8_t store(const DescriptorPair& pair);
  // Reading, head by head: what follows it, none if it cannot be; then one of the functions for the
  // form, which returns the pair.
  std::optional<Form> begin(std::uint8_t head);
  const DescriptorPair& same_steps() { return moved(models_[chosen_].steps); }
  const DescriptorPair& new_steps(const Steps& steps);
  const DescriptorPair& other_steps(const Steps& steps);
  const DescriptorPair& whole(const DescriptorPair& pair);

  // Of the pair in work: its steps are those from the pair before.
  static Form form_of(std::uint8_t head) { return static_cast<Form>(head >> kFormBit); }
  const Steps& steps() const { return models_[chosen_].taken; }
  const DescriptorPair& pair() const { return models_[chosen_].pair; }

 private:
  // The head: first, last, barrier; the model; the form.
  static constexpr unsigned kModelBit = 3, kFormBit = 5;
  static constexpr unsigned kModels = 4;

  struct Model {
    DescriptorPair pair;
    Steps steps, taken;  // those of kSameSteps; from the pair before
    bool used = false;
  };

  const DescriptorPair& moved(const Steps& steps);

  std::array<Model, kModels> models_;
  unsigned next_ = 0;  // the model that the next whole pair replaces
  unsigned chosen_ = 0;
  std::uint8_t flags_ = 0;
};

}  // namespace tern
