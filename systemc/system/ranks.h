// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::system {

// The processes that simulate a system together, each some of its chips.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  // All call it: everyone's bytes, by rank. RunError: one has ended instead, with its reason.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;
  // Not called after this. The others learn of it, with the reason, in the exchange that they are
  // in or come to; if they end, too, nobody waits for anybody. Empty: as it should be.
  virtual void end(const std::string& reason) = 0;
};

}  // namespace tern::system
