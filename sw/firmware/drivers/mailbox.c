// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/mailbox.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"

static uintptr_t mailbox_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_MAILBOX_BASE + offset;
}

bool mailbox_ready(void) {
  return mmio_read(mailbox_register(TERN_REG_MAILBOX_STATUS)) ==
         TERN_REG_MAILBOX_STATUS_REQUEST_MASK;
}

void mailbox_read(uint32_t words[MAILBOX_WORDS]) {
  for (uint32_t i = 0; i < MAILBOX_WORDS; ++i)
    words[i] = mmio_read(mailbox_register(TERN_REG_MAILBOX_REQUEST_BUFFER + 4 * i));
}

void mailbox_respond(const uint32_t* words, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    mmio_write(mailbox_register(TERN_REG_MAILBOX_RESPONSE_BUFFER + 4 * i), words[i]);
  mmio_write(mailbox_register(TERN_REG_MAILBOX_DONE), 1);
}
