// SPDX-License-Identifier: Apache-2.0
// Interrupts and exceptions.
#pragma once

#include <stdbool.h>

// From now on interrupts are taken.
void trap_init(void);
// A request in the mailbox waits; trap_mailbox_served() allows the next one to interrupt.
bool trap_mailbox_waits(void);
void trap_mailbox_served(void);
// The firmware has shown that it is alive, after the watchdog's first stage, too.
void trap_watchdog_restarted(void);
