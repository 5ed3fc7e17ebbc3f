// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::bench {

inline void take_statuses(TensorDatapath& engine) {
  TensorStatus status;
  while (engine.pop_status(&status)) {
    if (status.code != TensorStatusCode::kOk) {
      throw std::runtime_error("command rejected, code " +
                               std::to_string(static_cast<int>(status.code)));
    }
  }
}

// Pushes a command as an engine would: waits for room, collects what retires.
inline void issue(TensorDatapath& engine, const TensorCommand& command) {
  while (!engine.ready()) {
    engine.advance_to(engine.next_event());
    take_statuses(engine);
  }
  engine.push(command);
}

inline void drain(TensorDatapath& engine) {
  while (engine.next_event() != TensorDatapath::kIdle) {
    engine.advance_to(engine.next_event());
    take_statuses(engine);
  }
}

// Runs a stream to its end; cycles from the first push to the last status.
inline std::uint64_t run_stream(TensorDatapath& engine, const std::vector<TensorCommand>& stream) {
  const std::uint64_t begin = engine.cycle();
  for (const TensorCommand& command : stream) issue(engine, command);
  drain(engine);
  return engine.cycle() - begin;
}

}  // namespace tern::bench
