// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/health.h"

#include <stddef.h>

#include "sw/firmware/drivers/bmc.h"
#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/power.h"
#include "sw/firmware/drivers/sensors.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/runtime/errors.h"

enum { SENSORS_EVERY = 10, THROTTLED_POWER = 500, HYSTERESIS_MILLIDEGREES = 5000 };

struct health health = {.power_limit = POWER_FULL};

void health_note_error(uint32_t error_class, uint16_t unit) {
  if (unit >= 32) return;
  const uint32_t bit = UINT32_C(1) << unit;
  switch (error_class) {
    case TERN_ERROR_CLASS_ECC_UNCORRECTABLE:
      if (unit < chip_hbm_stacks()) health.hbm_bad |= bit;
      break;
    case TERN_ERROR_CLASS_ECC_REPAIRABLE:
      if (unit < chip_hbm_stacks()) health.hbm_bad |= bit << 16;
      break;
    case TERN_ERROR_CLASS_DMA_ABORT:
    case TERN_ERROR_CLASS_SEMAPHORE_OVERFLOW:
    case TERN_ERROR_CLASS_SEQUENCER_FATAL:
    case TERN_ERROR_CLASS_HANG:
      if (unit < chip_cores()) health.cores_bad |= bit;
      break;
    default:
      break;
  }
}

void health_apply_power(void) {
  const uint32_t most = health.throttled ? THROTTLED_POWER : POWER_FULL;
  const uint32_t target = health.power_limit < most ? health.power_limit : most;
  if (power_target() != target) power_set_target(target);
}

void health_set_power_limit(uint32_t permille) {
  health.power_limit = permille;
  health_apply_power();
}

// One sensor above its limit throttles; all must be well below theirs to end it.
static void watch_temperatures(void) {
  bool hot = false, cool = true;
  for (unsigned i = 0; i < sensors_count(); ++i) {
    const struct tern_sensor_reading sensor = sensors_read(i);
    if (sensor.kind != TERN_SENSOR_KIND_TEMPERATURE) continue;
    if (sensor.value >= sensor.high) hot = true;
    if (sensor.value > sensor.high - HYSTERESIS_MILLIDEGREES) cool = false;
  }
  if (hot == health.throttled || (health.throttled && !cool)) return;
  health.throttled = hot;
  log_line("power: %s",
           hot ? "throttled, a temperature is above its limit" : "no longer throttled");
  health_apply_power();
}

static uint32_t put_words(uint32_t at, const void* data, uint32_t bytes) {
  const uint32_t* words = data;
  for (uint32_t i = 0; i < bytes / 4; ++i) bmc_write(at + i, words[i]);
  return at + bytes / 4;
}

static void write_bmc_table(void) {
  static uint32_t generation;
  const uint32_t sensors = sensors_count();
  struct tern_bmc_header header = {
      .magic = TERN_MGMT_BMC_MAGIC,
      .version = TERN_MGMT_BMC_VERSION,
      .generation = generation + 1,  // odd: in progress
      .sensors = sensors,
      .phase = chip_phase(),
      .heartbeat = health.heartbeat,
      .uptime_us = clock_us_of_ticks(clock_now()),
      .boot_error = chip_boot_error(),
      .cores_ready = chip_ready_cores(),
      .cores_bad = health.cores_bad,
      .hbm_bad = health.hbm_bad,
      .link_bad = health.link_bad,
  };
  for (uint32_t c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) header.counts[c] = errors_count(c);
  uint32_t at = put_words(0, &header, sizeof header);
  for (unsigned i = 0; i < sensors; ++i) {
    const struct tern_sensor_reading reading = sensors_read(i);
    at = put_words(at, &reading, sizeof reading);
  }
  generation += 2;
  bmc_write(offsetof(struct tern_bmc_header, generation) / 4, generation);
}

void health_tick(void) {
  ++health.heartbeat;
  chip_set_heartbeat(health.heartbeat);
  if (health.heartbeat % SENSORS_EVERY != 1) return;
  watch_temperatures();
  write_bmc_table();
}
