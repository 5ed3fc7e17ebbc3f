// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/errors.h"

#include "sw/firmware/drivers/bmc.h"
#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/runtime/health.h"

static const char* const kNames[TERN_ERROR_CLASS_COUNT] = {
    [TERN_ERROR_CLASS_ECC_CORRECTED] = "ECC corrected",
    [TERN_ERROR_CLASS_ECC_UNCORRECTABLE] = "ECC uncorrectable",
    [TERN_ERROR_CLASS_ECC_REPAIRABLE] = "ECC uncorrectable, repairable",
    [TERN_ERROR_CLASS_DMA_ABORT] = "DMA abort",
    [TERN_ERROR_CLASS_SEMAPHORE_OVERFLOW] = "semaphore overflow",
    [TERN_ERROR_CLASS_SEQUENCER_FATAL] = "sequencer fatal",
    [TERN_ERROR_CLASS_HANG] = "hang",
};

// Written by handlers; others read them with interrupts off.
static struct tern_error_entry entries[TERN_MGMT_ERROR_LOG_ENTRIES];
static volatile uint32_t next_number;
static uint32_t counts[TERN_ERROR_CLASS_COUNT];
static uint32_t seen[TERN_ERROR_CLASS_COUNT];  // of the chip's counters
static uint32_t reported;                      // entries before this number

static uint32_t saturating_add(uint32_t a, uint32_t b) {
  return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

void errors_add(uint32_t error_class, uint16_t unit, uint64_t address, uint32_t count) {
  struct tern_error_entry* entry = &entries[next_number % TERN_MGMT_ERROR_LOG_ENTRIES];
  entry->number = next_number;
  entry->error = (uint16_t)error_class;
  entry->unit = unit;
  entry->time_us = clock_us_of_ticks(clock_now());
  entry->address = address;
  entry->count = count;
  entry->reserved = 0;
  next_number = next_number + 1;
  counts[error_class] = saturating_add(counts[error_class], count);
  health_note_error(error_class, unit);
  if (error_class != TERN_ERROR_CLASS_ECC_CORRECTED) bmc_set_attention(true);
}

void errors_take(uint32_t error_class) {
  if (error_class >= TERN_ERROR_CLASS_COUNT) return;
  chip_clear_error(error_class);  // first: what arrives after the read interrupts again
  const struct chip_error error = chip_read_error(error_class);
  const uint32_t count = error.count - seen[error_class];
  seen[error_class] = error.count;
  // 0: they came with the ones before, or the counter has reached its end.
  if (count != 0) errors_add(error_class, error.unit, error.address, count);
}

void errors_enable(void) {
  chip_enable_errors((UINT32_C(1) << TERN_ERROR_CLASS_COUNT) - 1);
}

bool errors_are_new(void) {
  return next_number != reported;
}

bool errors_report(void) {
  bool any = false;
  struct tern_error_entry entry;
  while (errors_entry(reported, &entry)) {
    if (entry.number != reported)
      log_line("error: %u entries lost", (unsigned)(entry.number - reported));
    log_line("error: %s, unit %u, address %lx, count %u", kNames[entry.error], (unsigned)entry.unit,
             (unsigned long)entry.address, (unsigned)entry.count);
    reported = entry.number + 1;
    any = true;
  }
  return any;
}

uint32_t errors_count(uint32_t error_class) {
  return counts[error_class];
}

void errors_clear(uint32_t classes) {
  hart_interrupts_off();
  for (uint32_t c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) {
    if ((classes >> c & 1) != 0) counts[c] = 0;
  }
  hart_interrupts_on();
}

bool errors_entry(uint32_t number, struct tern_error_entry* entry) {
  hart_interrupts_off();
  const uint32_t kept =
      next_number < TERN_MGMT_ERROR_LOG_ENTRIES ? next_number : TERN_MGMT_ERROR_LOG_ENTRIES;
  const uint32_t oldest = next_number - kept;
  const uint32_t wanted = number < oldest ? oldest : number;
  const bool found = wanted < next_number;
  if (found) *entry = entries[wanted % TERN_MGMT_ERROR_LOG_ENTRIES];
  hart_interrupts_on();
  return found;
}
