// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/runtime/executable.h"

namespace tern::runtime {

// An address of a descriptor or an instruction in a program file.
void archive_address(base::StateArchive& archive, const Executable& program, DmaAddress& to);

// Descriptor pairs in a program file (docs/reference/program-file.md). A transfer of many rows has
// as many pairs, which differ by the same steps: such a pair takes one byte.
class PairArchive {
 public:
  // Pairs of `program`, at most `most` in all lists: fewer bytes than memory.
  PairArchive(base::StateArchive& archive, const Executable& program, std::size_t most)
      : archive_(archive), program_(program), left_(most) {}

  // The pairs of one engine. Saved ones are given away, so that the file takes their memory.
  void list(std::vector<DescriptorPair>& pairs);

 private:
  enum class Form : std::uint8_t { kSameSteps, kNewSteps, kWhole, kCount };
  // A pair that others are described by, and the steps from the one before.
  struct Model {
    DescriptorPair pair;
    std::uint64_t source_step = 0, destination_step = 0;
    bool used = false;
  };
  // Rows and the write of their semaphore take turns.
  static constexpr unsigned kModels = 2;
  using Models = std::array<Model, kModels>;

  void save(const DescriptorPair& pair, Models& models);
  DescriptorPair restore(Models& models);
  void write(std::uint8_t flags, unsigned model, Form form);
  void whole(DescriptorPair& pair);

  base::StateArchive& archive_;
  const Executable& program_;
  std::size_t left_;
  unsigned next_ = 0;  // model that the next whole pair replaces
};

}  // namespace tern::runtime
