// SPDX-License-Identifier: Apache-2.0
// What the commands of the mailbox do.
#pragma once

#include <stdint.h>

#include "sw/spec/generated/mgmt.h"

// A request that has been checked, and room for the payload of its response. Both payloads are
// aligned to 8 bytes.
struct command_data {
  uint32_t code;  // TERN_COMMAND_...
  const void* in;
  uint32_t in_bytes;
  void* out;
  uint32_t out_most;   // room
  uint32_t out_bytes;  // used; at most out_most
};

// Returns TERN_MAILBOX_STATUS_...
uint32_t command_run(struct command_data* data);

// What started this firmware, for get_version.
void command_set_boot_record(const struct tern_boot_record* record);
