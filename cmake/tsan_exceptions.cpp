// SPDX-License-Identifier: Apache-2.0
// What the thread sanitizer finds in other people's code; part of every program of the preset tsan.

// Verilator notes the context of the last thread that set one. Every thread of ours sets its own
// before it evaluates a model, so nobody uses what is noted.
extern "C" const char* __tsan_default_suppressions() {
  return "race:Verilated::lastContextp\n";
}
