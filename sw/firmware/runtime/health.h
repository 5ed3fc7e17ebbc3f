// SPDX-License-Identifier: Apache-2.0
// The state of the chip: what works, how warm it is, how much power it may use; and its report to
// the board management controller.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Bits as in struct tern_status_reply; handlers change them, too.
struct health {
  uint32_t heartbeat;
  _Atomic uint32_t cores_bad;
  _Atomic uint32_t hbm_bad;
  _Atomic uint32_t link_bad;
  uint32_t power_limit;  // permille, of the host
  bool throttled;        // a temperature is too high
};

extern struct health health;

// From an interrupt handler.
void health_note_error(uint32_t error_class, uint16_t unit);
// The power target follows from limit and temperature.
void health_set_power_limit(uint32_t permille);
void health_apply_power(void);
// Each millisecond: heartbeat; now and then temperatures and the BMC's table.
void health_tick(void);
