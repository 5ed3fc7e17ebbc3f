// SPDX-License-Identifier: Apache-2.0
#include "sw/train/model.h"

namespace tern::train {

Model::Slice Model::slice(unsigned rank, std::uint64_t own) const {
  const unsigned part = rank / sharers;
  const std::uint64_t run = own / samples;
  return {(part / sample_parts * samples * sample_parts + part % sample_parts) * run, run,
          sample_parts * run, samples};
}

}  // namespace tern::train
