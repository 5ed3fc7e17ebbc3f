// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/crypto.h"

#include <string.h>

#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

enum { PATIENCE_US = 1000000 };

static uintptr_t crypto_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_CRYPTO_BASE + offset;
}

// Bytes keep the order of memory.
static void put_bytes(uint32_t offset, const uint8_t* bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 4) {
    uint32_t word;
    memcpy(&word, bytes + i, sizeof word);
    mmio_write(crypto_register(offset + i), word);
  }
}

// The status when the engine is idle again, or after a while.
static uint32_t wait_until_idle(void) {
  const uint64_t end = clock_now() + clock_ticks_of_us(PATIENCE_US);
  uint32_t status;
  do {
    hart_pause();
    status = mmio_read(crypto_register(TERN_REG_CRYPTO_STATUS));
  } while (status == TERN_CRYPTO_STATUS_BUSY && clock_now() < end);
  return status;
}

// Before the inputs are written: a busy engine ignores them, and a command that took too long would
// end with a result that is not this one's.
static bool is_idle(void) {
  return wait_until_idle() != TERN_CRYPTO_STATUS_BUSY;
}

static bool run(uint32_t command) {
  mmio_write(crypto_register(TERN_REG_CRYPTO_COMMAND), command);
  return wait_until_idle() == TERN_CRYPTO_STATUS_DONE;
}

bool crypto_sha256(const void* data, uint32_t bytes, uint8_t digest[32]) {
  const uint64_t address = (uintptr_t)data;
  if (!is_idle()) return false;
  mmio_write(crypto_register(TERN_REG_CRYPTO_SOURCE_LOW), (uint32_t)address);
  mmio_write(crypto_register(TERN_REG_CRYPTO_SOURCE_HIGH), (uint32_t)(address >> 32));
  mmio_write(crypto_register(TERN_REG_CRYPTO_LENGTH), bytes);
  if (!run(TERN_REG_CRYPTO_COMMAND_SHA256)) return false;
  for (uint32_t i = 0; i < 32; i += 4) {
    const uint32_t word = mmio_read(crypto_register(TERN_REG_CRYPTO_DIGEST + i));
    memcpy(digest + i, &word, sizeof word);
  }
  return true;
}

bool crypto_verify(const uint8_t key[64], const uint8_t signature[64], const uint8_t digest[32],
                   bool* valid) {
  *valid = false;
  if (!is_idle()) return false;
  put_bytes(TERN_REG_CRYPTO_DIGEST, digest, 32);
  put_bytes(TERN_REG_CRYPTO_PUBLIC_KEY, key, 64);
  put_bytes(TERN_REG_CRYPTO_SIGNATURE, signature, 64);
  if (!run(TERN_REG_CRYPTO_COMMAND_VERIFY)) return false;
  *valid = mmio_read(crypto_register(TERN_REG_CRYPTO_RESULT)) == 1;
  return true;
}
