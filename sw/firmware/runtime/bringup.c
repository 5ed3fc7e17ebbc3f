// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/bringup.h"

#include <stdbool.h>

#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/power.h"
#include "sw/firmware/drivers/watchdog.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/runtime/errors.h"
#include "sw/firmware/runtime/health.h"
#include "sw/firmware/runtime/trap.h"
#include "sw/spec/generated/mgmt.h"

enum {
  ATTEMPTS = 3,             // of a training
  POLL_US = 50,             // how often a status is read
  TRAINING_US = 1000000,    // of an attempt, at most
  CORE_READY_US = 10000,    // at most
  POWER_RAMP_US = 1000000,  // at most
};

// Cores that may run: a die that has no link to the other one, or a chip without memory, has none.
static uint32_t allowed_cores;

static uint32_t bits(uint32_t count) {
  return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

// Sleeps a little in a loop that waits for hardware; false: the time is over.
static bool pause_until(uint64_t end) {
  const uint64_t now = clock_now();
  if (now >= end) return false;
  watchdog_restart();
  trap_watchdog_restarted();
  clock_sleep_until(now + clock_ticks_of_us(POLL_US));
  return true;
}

// One attempt of each of them, in parallel. Returns those that passed.
static uint32_t train_once(unsigned first, uint32_t units) {
  for (unsigned i = 0; i < 32; ++i) {
    if ((units >> i & 1) != 0) chip_start_training(first + i);
  }
  const uint64_t end = clock_now() + clock_ticks_of_us(TRAINING_US);
  uint32_t busy, passed;
  do {
    busy = passed = 0;
    for (unsigned i = 0; i < 32; ++i) {
      if ((units >> i & 1) == 0) continue;
      const uint32_t status = chip_training_status(first + i);
      if (status == TERN_TRAINING_BUSY) busy |= UINT32_C(1) << i;
      if (status == TERN_TRAINING_PASSED) passed |= UINT32_C(1) << i;
    }
  } while (busy != 0 && pause_until(end));
  return passed;
}

uint32_t bringup_train(const char* name, unsigned first, unsigned count, uint32_t mask) {
  const uint32_t units = mask & bits(count);
  uint32_t passed = 0;
  for (unsigned attempt = 0; attempt < ATTEMPTS && passed != units; ++attempt)
    passed |= train_once(first, units & ~passed);
  for (unsigned i = 0; i < count; ++i) {
    if ((units >> i & 1) == 0) continue;
    const unsigned attempts = (unsigned)chip_training_attempts(first + i);
    if ((passed >> i & 1) != 0) {
      log_line("%s %u: trained, attempt %u, margin %u permille", name, i, attempts,
               (unsigned)chip_training_margin(first + i));
    } else {
      log_line("%s %u: training failed, %u attempts", name, i, attempts);
    }
  }
  return passed;
}

static void train_hbm(void) {
  const unsigned stacks = (unsigned)chip_hbm_stacks();
  chip_set_phase(TERN_PHASE_HBM);
  const uint32_t passed = bringup_train("hbm", TERN_MGMT_UNIT_HBM, stacks, bits(stacks));
  health.hbm_bad |= bits(stacks) & ~passed;
  if (passed == 0) allowed_cores = 0;
}

// Without the link the first die works alone.
static void train_die(void) {
  chip_set_phase(TERN_PHASE_DIE);
  if (chip_dies() < 2) return;
  if (bringup_train("die link", TERN_MGMT_UNIT_DIE, 1, 1) != 0) return;
  health.link_bad |= 1;
  allowed_cores &= bits(chip_cores() / 2);
}

uint32_t bringup_reset_cores(uint32_t cores) {
  const uint32_t released = cores & allowed_cores;
  chip_hold_cores(cores);
  chip_release_cores(released);
  const uint64_t end = clock_now() + clock_ticks_of_us(CORE_READY_US);
  while ((chip_ready_cores() & released) != released && pause_until(end)) {
  }
  return chip_ready_cores();
}

static void start_cores(void) {
  const uint32_t all = bits(chip_cores());
  chip_set_phase(TERN_PHASE_CORES);
  const uint32_t ready = bringup_reset_cores(all);
  health.cores_bad |= all & ~ready;
  log_line("cores: %x ready of %x", (unsigned)ready, (unsigned)all);
}

static void ramp_power(void) {
  chip_set_phase(TERN_PHASE_POWER);
  const uint32_t step = power_use_largest_step();
  health_apply_power();
  const uint64_t end = clock_now() + clock_ticks_of_us(POWER_RAMP_US);
  while (power_level() != power_target() && pause_until(end)) {
  }
  log_line("power: %u permille, in steps of %u per %u us", (unsigned)power_level(), (unsigned)step,
           (unsigned)power_interval_us());
}

void bringup_run(void) {
  allowed_cores = bits(chip_cores());
  errors_enable();
  train_hbm();
  train_die();
  start_cores();
  ramp_power();
}

// The phase comes last: who waits for it finds everything done.
void bringup_announce(void) {
  if ((health.hbm_bad | health.link_bad | health.cores_bad) == 0) {
    log_line("ready");
    chip_set_phase(TERN_PHASE_READY);
  } else {
    log_line("ready, degraded: hbm %x, links %x, cores %x", (unsigned)health.hbm_bad,
             (unsigned)health.link_bad, (unsigned)health.cores_bad);
    chip_set_phase(TERN_PHASE_DEGRADED);
  }
}
