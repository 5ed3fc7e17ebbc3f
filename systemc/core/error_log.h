// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/isa.h"

namespace tern {

// The error registers: the first error stays until it is cleared.
struct ErrorLog {
  std::uint32_t code = TERN_ERROR_NONE;
  std::uint32_t queue = 0, index = 0, detail = 0;
  std::uint32_t processor = 0, reason = 0, value = 0;  // of a custom_op
  // Told of every error, not only of the first.
  using Observer = std::function<void(std::uint32_t error, std::uint32_t from, std::uint32_t at,
                                      std::uint32_t what)>;
  Observer observer;

  bool any() const { return code != TERN_ERROR_NONE; }
  void report(std::uint32_t error, std::uint32_t from, std::uint32_t at, std::uint32_t what) {
    if (observer) observer(error, from, at, what);
    if (any()) return;
    code = error;
    queue = from;
    index = at;
    detail = what;
  }
  // For a snapshot.
  void archive_state(base::StateArchive& archive) {
    archive.numbers(code, queue, index, detail, processor, reason, value);
  }
  void clear() {
    code = TERN_ERROR_NONE;
    queue = index = detail = processor = reason = value = 0;
  }
  // Before the report of a custom_op, or of an index of a dma_indirect or a gather (value).
  void note_program(std::uint32_t by, std::uint32_t why, std::uint32_t about) {
    if (any()) return;
    processor = by;
    reason = why;
    value = about;
  }
};

}  // namespace tern
