// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern_tb {

// What tb/gpsimd/programs/misbehave.cpp does.
enum Misbehaviour {
  kStrayLoad,
  kStrayStore,
  kNullPointer,
  kWriteCode,
  kMisaligned,
  kWildJump,
  kIllegal,
  kBreakpoint,
  kEndless,
  kStackOverflow,
  kWait,
  kOddRegister,
  kEnvironmentCall,
  kStatus,
  kAbort,
};

}  // namespace tern_tb
