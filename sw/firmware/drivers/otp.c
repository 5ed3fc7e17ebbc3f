// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/otp.h"

#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

enum { PATIENCE_US = 50000 };  // less than the watchdog's

static uintptr_t otp_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_OTP_BASE + offset;
}

uint32_t otp_read(unsigned word) {
  return mmio_read(otp_register(TERN_REG_OTP_FUSE + word * TERN_REG_OTP_FUSE_STRIDE));
}

uint32_t otp_rollback(void) {
  uint32_t ones = 0;
  for (unsigned word = 0; word < TERN_MGMT_OTP_ROLLBACK_WORDS; ++word) {
    for (uint32_t bits = otp_read(TERN_MGMT_OTP_ROLLBACK + word); bits != 0; bits &= bits - 1)
      ++ones;
  }
  return ones;
}

static bool otp_burn(unsigned word, uint32_t bits) {
  mmio_write(otp_register(TERN_REG_OTP_WORD), word);
  mmio_write(otp_register(TERN_REG_OTP_VALUE), bits);
  mmio_write(otp_register(TERN_REG_OTP_COMMAND), TERN_MGMT_OTP_KEY | 1);
  const uint64_t end = clock_now() + clock_ticks_of_us(PATIENCE_US);
  uint32_t status;
  do {
    hart_pause();
    status = mmio_read(otp_register(TERN_REG_OTP_STATUS));
  } while ((status & TERN_REG_OTP_STATUS_BUSY_MASK) != 0 && clock_now() < end);
  return (status & (TERN_REG_OTP_STATUS_BUSY_MASK | TERN_REG_OTP_STATUS_ERROR_MASK)) == 0;
}

bool otp_raise_rollback(uint32_t version) {
  for (unsigned word = 0; word < TERN_MGMT_OTP_ROLLBACK_WORDS; ++word) {
    const uint32_t first = 32 * word;
    if (version <= first) break;
    const uint32_t count = version - first;
    const uint32_t bits = count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    if ((otp_read(TERN_MGMT_OTP_ROLLBACK + word) | bits) == otp_read(TERN_MGMT_OTP_ROLLBACK + word))
      continue;
    if (!otp_burn(TERN_MGMT_OTP_ROLLBACK + word, bits)) return false;
  }
  return true;
}

void otp_lock(void) {
  mmio_write(otp_register(TERN_REG_OTP_LOCK), 1);
}
