// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "sw/base/state_archive.h"
#include "sw/base/user_error.h"

namespace tern::base {

// A state in memory: visit(archive) names it, as for any StateArchive. Appends to `bytes`.
template <typename Visit>
void append_state(std::string* bytes, const Visit& visit) {
  StateArchive archive(StateArchive::Mode::kSave, [bytes](const void* data, std::size_t count) {
    bytes->append(static_cast<const char*>(data), count);
  });
  visit(archive);
}

// Takes a state from the front of `bytes`. Throws UserError: truncated, damaged.
template <typename Visit>
void take_state(std::string_view* bytes, const Visit& visit) {
  StateArchive archive(StateArchive::Mode::kRestore, [bytes](void* data, std::size_t count) {
    if (count > bytes->size()) throw UserError("truncated");
    if (count != 0) std::memcpy(data, bytes->data(), count);
    bytes->remove_prefix(count);
  });
  visit(archive);
}

}  // namespace tern::base
