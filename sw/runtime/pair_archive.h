// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sw/base/state_archive.h"
#include "sw/runtime/executable.h"

namespace tern::runtime {

// An address of a descriptor or an instruction in a program file.
void archive_address(base::StateArchive& archive, const Executable& program, DmaAddress& to);

// Descriptor pairs in a program file (docs/reference/program-file.md), as they are in a list.
class PairArchive {
 public:
  // Pairs of `program`, at most `most` in all lists: fewer bytes than memory.
  PairArchive(base::StateArchive& archive, const Executable& program, std::size_t most)
      : archive_(archive), program_(program), left_(most) {}

  // The pairs of one engine. Saved ones are given away, so that the file takes their memory.
  void list(PairList& pairs);

 private:
  void save(const DescriptorPair& pair, PairModels& models);
  const DescriptorPair& restore(PairModels& models);
  void whole(DescriptorPair& pair);

  base::StateArchive& archive_;
  const Executable& program_;
  std::size_t left_;
};

}  // namespace tern::runtime
