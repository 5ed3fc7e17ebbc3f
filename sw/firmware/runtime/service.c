// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/service.h"

#include <stdbool.h>
#include <string.h>

#include "sw/firmware/drivers/mailbox.h"
#include "sw/firmware/runtime/commands.h"
#include "sw/firmware/runtime/crc32c.h"

static_assert(TERN_MAILBOX_HEADER_BYTES == 8, "payloads are aligned to 8 bytes");

// A message as words for the buffer, and as its parts. A request is hostile: nothing of it is used
// before it was checked against the size of the buffer.
union message {
  uint32_t words[MAILBOX_WORDS];
  struct {
    struct tern_mailbox_header header;
    uint8_t payload[TERN_MGMT_MAILBOX_BYTES - TERN_MAILBOX_HEADER_BYTES];
  } part;
};

static union message request, response;

// Of header and payload, the field itself as 0.
static uint32_t crc_of(union message* message) {
  const uint32_t kept = message->part.header.crc;
  message->part.header.crc = 0;
  const uint32_t crc =
      crc32c(message, (uint32_t)TERN_MAILBOX_HEADER_BYTES + message->part.header.size);
  message->part.header.crc = kept;
  return crc;
}

static uint32_t check_request(void) {
  const struct tern_mailbox_header* const header = &request.part.header;
  if (header->size > sizeof request.part.payload) return TERN_MAILBOX_STATUS_SIZE;
  if (header->crc != crc_of(&request)) return TERN_MAILBOX_STATUS_CRC;
  return header->sequence == 0 ? TERN_MAILBOX_STATUS_ARGUMENT : TERN_MAILBOX_STATUS_OK;
}

void service_answer(void) {
  mailbox_read(request.words);
  memset(&response, 0, sizeof response);
  struct command_data data = {
      .code = request.part.header.code,
      .in = request.part.payload,
      .in_bytes = request.part.header.size,
      .out = response.part.payload,
      .out_most = sizeof response.part.payload,
      .out_bytes = 0,
  };
  uint32_t status = check_request();
  if (status == TERN_MAILBOX_STATUS_OK) status = command_run(&data);
  struct tern_mailbox_header* const header = &response.part.header;
  header->sequence = request.part.header.sequence;
  header->code = (uint8_t)status;
  header->size = (uint16_t)(status == TERN_MAILBOX_STATUS_OK ? data.out_bytes : 0);
  header->crc = crc_of(&response);
  mailbox_respond(response.words, (TERN_MAILBOX_HEADER_BYTES + header->size + 3u) / 4);
}
