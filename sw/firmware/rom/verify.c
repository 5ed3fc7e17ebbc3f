// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/rom/verify.h"

#include <stdbool.h>
#include <string.h>

#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/crypto.h"
#include "sw/firmware/drivers/flash.h"
#include "sw/firmware/drivers/otp.h"
#include "sw/spec/generated/address_map.h"

enum { HASH = 32, WORD = 8, INSTRUCTION = 4 };
static const uint32_t kMostSecurityVersion = 32 * TERN_MGMT_OTP_ROLLBACK_WORDS;

uint32_t verify_claimed_version(unsigned slot) {
  struct tern_manifest claimed;
  memcpy(&claimed, flash_slot(slot), sizeof claimed);
  return claimed.magic == TERN_MGMT_MANIFEST_MAGIC ? claimed.security_version : 0;
}

static bool all_zero(const uint8_t* bytes, uint32_t count) {
  uint8_t any = 0;
  for (uint32_t i = 0; i < count; ++i) any |= bytes[i];
  return any == 0;
}

// Numbers of a manifest that nobody has signed yet. Each difference is taken only after the
// comparison that makes it positive.
static bool format_is_possible(const struct tern_manifest* m) {
  const uint64_t least = TERN_MGMT_MEMORY_BASE + TERN_MGMT_ROM_SCRATCH;
  const uint64_t end = TERN_MGMT_MEMORY_BASE + chip_memory_bytes();
  if (m->format != TERN_MGMT_MANIFEST_FORMAT || m->flags != 0) return false;
  if (!all_zero(m->reserved, sizeof m->reserved)) return false;
  if (m->length == 0 || m->length % WORD != 0) return false;
  if (m->length > TERN_MGMT_FLASH_SLOT - TERN_MANIFEST_BYTES) return false;
  if (m->security_version > kMostSecurityVersion) return false;
  if (m->load_address < least || m->load_address >= end || m->load_address % WORD != 0)
    return false;
  if (m->length > end - m->load_address) return false;
  if (m->entry < m->load_address || m->entry % INSTRUCTION != 0) return false;
  return m->entry - m->load_address < m->length;
}

// The fuses hold the hash of the only key.
static uint32_t check_key(const struct tern_manifest* m) {
  uint8_t hash[HASH];
  if (!crypto_sha256(m->public_key, sizeof m->public_key, hash)) return TERN_BOOT_ERROR_ENGINE;
  for (unsigned i = 0; i < HASH / 4; ++i) {
    uint32_t word;
    memcpy(&word, hash + 4 * i, sizeof word);
    if (word != otp_read(TERN_MGMT_OTP_KEY_HASH + i)) return TERN_BOOT_ERROR_KEY;
  }
  return TERN_BOOT_ERROR_NONE;
}

static uint32_t check_signature(const struct tern_manifest* m) {
  uint8_t digest[HASH];
  bool valid = false;
  if (!crypto_sha256(m, TERN_MGMT_MANIFEST_SIGNED, digest) ||
      !crypto_verify(m->public_key, m->signature, digest, &valid))
    return TERN_BOOT_ERROR_ENGINE;
  return valid ? TERN_BOOT_ERROR_NONE : TERN_BOOT_ERROR_SIGNATURE;
}

static uint32_t check_manifest(const struct tern_manifest* m) {
  if (m->magic != TERN_MGMT_MANIFEST_MAGIC) return TERN_BOOT_ERROR_EMPTY;
  if (!format_is_possible(m)) return TERN_BOOT_ERROR_FORMAT;
  uint32_t error = check_key(m);
  if (error == TERN_BOOT_ERROR_NONE) error = check_signature(m);
  if (error == TERN_BOOT_ERROR_NONE && m->security_version < otp_rollback())
    error = TERN_BOOT_ERROR_ROLLBACK;
  return error;
}

// The hash is that of memory, not of the flash: nobody can exchange it after the check.
static uint32_t load_payload(const struct tern_manifest* m, const uint8_t* payload) {
  uint8_t* const memory = (uint8_t*)(uintptr_t)m->load_address;
  uint8_t digest[HASH];
  memcpy(memory, payload, m->length);
  uint32_t error = TERN_BOOT_ERROR_NONE;
  if (!crypto_sha256(memory, m->length, digest)) {
    error = TERN_BOOT_ERROR_ENGINE;
  } else if (memcmp(digest, m->digest, sizeof digest) != 0) {
    error = TERN_BOOT_ERROR_SIGNATURE;
  }
  if (error != TERN_BOOT_ERROR_NONE) memset(memory, 0, m->length);
  return error;
}

uint32_t verify_slot(unsigned slot, struct tern_manifest* manifest) {
  if ((otp_read(TERN_MGMT_OTP_LIFE_CYCLE) & 2) != 0) return TERN_BOOT_ERROR_LIFE_CYCLE;
  memcpy(manifest, flash_slot(slot), sizeof *manifest);  // once: all checks are of this copy
  const uint32_t error = check_manifest(manifest);
  if (error != TERN_BOOT_ERROR_NONE) return error;
  return load_payload(manifest, flash_slot(slot) + sizeof *manifest);
}
