// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/runtime/executable.h"
#include "sw/spec/generated/isa.h"

namespace tern::tb {

using Lines = std::vector<std::string>;

// "reciprocal s3>=2" for every instruction of a queue but the gate at its start.
inline Lines listing(const Executable& program, unsigned queue) {
  Lines lines;
  for (std::size_t i = 1; i < program.queues[queue].size(); ++i) {
    const tern_header_t& header = program.queues[queue][i].header;
    std::string line;
    switch (header.opcode) {
#define TERN_NAME(code, name, mask, format) \
  case code:                                \
    line = #name;                           \
    break;
      TERN_INSTRUCTIONS(TERN_NAME)
#undef TERN_NAME
    }
    if (header.wait_cond == TERN_WAIT_COND_GE) {
      line += " s" + std::to_string(header.wait_sem) + ">=" + std::to_string(header.wait_value);
    }
    lines.push_back(line);
  }
  return lines;
}

inline std::string ge(unsigned semaphore, unsigned value) {
  return " s" + std::to_string(semaphore) + ">=" + std::to_string(value);
}

// Runs `body`, which must throw a UserError; returns its message.
template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tern::tb
