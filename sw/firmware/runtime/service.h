// SPDX-License-Identifier: Apache-2.0
// The mailbox protocol (docs/reference/mailbox.md).
#pragma once

#include "sw/spec/generated/mgmt.h"

// Answers the request that waits.
void service_answer(void);
