// SPDX-License-Identifier: Apache-2.0
#include "sw/train/share.h"

namespace tern::train {

std::vector<std::vector<unsigned>> Share::gradient_groups() const {
  std::vector<std::vector<unsigned>> groups(tensor);
  for (unsigned r = 0; r < ranks; ++r) groups[r % tensor].push_back(r);
  return groups;
}

std::vector<std::vector<unsigned>> Share::activation_groups() const {
  std::vector<std::vector<unsigned>> groups(data());
  for (unsigned r = 0; r < ranks; ++r) groups[r / tensor].push_back(r);
  return groups;
}

}  // namespace tern::train
