// SPDX-License-Identifier: Apache-2.0
// Requests of the host: the transport only. The protocol is in runtime/service.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sw/spec/generated/mgmt.h"

enum { MAILBOX_WORDS = TERN_MGMT_MAILBOX_BYTES / 4 };

// A request waits, and its response has room.
bool mailbox_ready(void);
void mailbox_read(uint32_t words[MAILBOX_WORDS]);
// The response, and the end of the request.
void mailbox_respond(const uint32_t* words, uint32_t count);
