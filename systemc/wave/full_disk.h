// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::wave {

// The FST writer maps its files into memory: where their disk is full, the process gets SIGBUS.
// While one is watched that ends the process with a message about `shown`, and without what was
// written so far: `partial`, and `folder` if its files are called 0.fst, 1.fst, ...
class FullDisk {
 public:
  static void watch(const std::string& partial, const std::string& shown,
                    const std::string& folder = "");
  static void stop_watching();
};

// Why a file may have been cut short: " (no space left on its disk)" when there is next to none,
// else empty. The FST writer reports nothing itself.
std::string no_space_at(const std::string& file);

}  // namespace tern::wave
