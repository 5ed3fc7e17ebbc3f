// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtkwave/fstapi.h>

#include <set>
#include <string>
#include <vector>

namespace tern::tb {

// Full names of the signals of an open FST, without their ranges.
inline std::set<std::string> fst_signals(void* reader) {
  std::set<std::string> names;
  std::vector<std::string> scopes;
  while (const fstHier* item = fstReaderIterateHier(reader)) {
    if (item->htyp == FST_HT_SCOPE) scopes.emplace_back(item->u.scope.name);
    if (item->htyp == FST_HT_UPSCOPE) scopes.pop_back();
    if (item->htyp != FST_HT_VAR) continue;
    std::string name;
    for (const std::string& scope : scopes) name += scope + ".";
    name += item->u.var.name;
    names.insert(name.substr(0, name.find(' ')));
  }
  return names;
}

}  // namespace tern::tb
