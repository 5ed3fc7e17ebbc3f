// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtkwave/fstapi.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tern::tb {

// By path: every change of value, with its time.
using Changes = std::vector<std::pair<std::uint64_t, std::string>>;
using Contents = std::map<std::string, Changes>;

inline void add_change(Changes* changes, std::uint64_t ps, const std::string& value) {
  if (!changes->empty() && changes->back().second == value) return;
  if (!changes->empty() && changes->back().first == ps) changes->pop_back();
  if (changes->empty() || changes->back().second != value) changes->emplace_back(ps, value);
}

// All signals of an FST; empty if it cannot be read. `enums`: numbers of the tables of names, of
// those signals that have one.
inline Contents read_fst(const std::string& file,
                         std::map<std::string, unsigned>* enums = nullptr) {
  void* reader = fstReaderOpen(file.c_str());
  if (reader == nullptr) return {};
  std::vector<std::vector<std::string>> paths(fstReaderGetMaxHandle(reader) + 1);
  std::vector<std::string> scopes;
  unsigned table = 0;
  while (const fstHier* item = fstReaderIterateHier(reader)) {
    const auto path = [&](const char* name) {
      std::string text;
      for (const std::string& scope : scopes) text += scope + ".";
      return text + std::string(name, std::strcspn(name, " "));  // without its range
    };
    if (item->htyp == FST_HT_SCOPE) scopes.emplace_back(item->u.scope.name);
    if (item->htyp == FST_HT_UPSCOPE) scopes.pop_back();
    if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.subtype == FST_MT_ENUMTABLE &&
        item->u.attr.name_length == 0)  // a reference, not the names
      table = static_cast<unsigned>(item->u.attr.arg);
    if (item->htyp == FST_HT_VAR) {
      paths[item->u.var.handle].push_back(path(item->u.var.name));
      if (enums != nullptr && table > 0) (*enums)[paths[item->u.var.handle].back()] = table;
      table = 0;
    }
  }
  struct State {
    Contents contents;
    const std::vector<std::vector<std::string>>* paths;
  } state{{}, &paths};
  const auto one = [](void* user, std::uint64_t ps, fstHandle handle, const unsigned char* value,
                      std::uint32_t length) {
    auto& its = *static_cast<State*>(user);
    for (const std::string& path : (*its.paths)[handle])
      add_change(&its.contents[path], ps,
                 std::string(reinterpret_cast<const char*>(value), length));
  };
  const auto fixed = [](void* user, std::uint64_t ps, fstHandle handle,
                        const unsigned char* value) {
    auto& its = *static_cast<State*>(user);
    for (const std::string& path : (*its.paths)[handle])
      add_change(&its.contents[path], ps, reinterpret_cast<const char*>(value));
  };
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks2(reader, fixed, one, &state, nullptr);
  fstReaderClose(reader);
  return state.contents;
}

}  // namespace tern::tb
