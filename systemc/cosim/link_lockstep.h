// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systemc/link/flit/data_link.h"

namespace tern {

// Where two ends of a link differ in a cycle.
struct LinkDifference {
  std::string port;  // of the RTL, with the word of it
  std::uint32_t expected = 0, got = 0;
};
std::optional<LinkDifference> first_difference(const flit::LinkOutputs& expected,
                                               const flit::LinkOutputs& got);

// Two ends with the same inputs, the reference first. It stops with a RunError at the first output
// that differs; its outputs are those of the second one.
class LinkLockstep final : public flit::DataLink {
 public:
  LinkLockstep(std::unique_ptr<flit::DataLink> reference, std::unique_ptr<flit::DataLink> device);

  const flit::LinkOutputs& cycle(const flit::LinkInputs& inputs) override;

 private:
  std::unique_ptr<flit::DataLink> reference_, device_;
  std::uint64_t cycle_ = 0;
};

}  // namespace tern
