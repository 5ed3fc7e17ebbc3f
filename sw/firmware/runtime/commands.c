// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/commands.h"

#include <string.h>

#include "sw/firmware/drivers/bmc.h"
#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/power.h"
#include "sw/firmware/drivers/sensors.h"
#include "sw/firmware/include/mmio.h"
#include "sw/firmware/runtime/bringup.h"
#include "sw/firmware/runtime/errors.h"
#include "sw/firmware/runtime/health.h"
#include "sw/spec/generated/address_map.h"

enum { LEAST_POWER = 100, UNITS = TERN_REG_CONTROL_TRAINING_START_COUNT };

static struct tern_boot_record boot_record;

void command_set_boot_record(const struct tern_boot_record* record) {
  boot_record = *record;
}

// Appends to the response; false: there is no room.
static int append(struct command_data* data, const void* bytes, uint32_t count) {
  if (count > data->out_most - data->out_bytes) return 0;
  memcpy((uint8_t*)data->out + data->out_bytes, bytes, count);
  data->out_bytes += count;
  return 1;
}

static uint32_t word_of(const struct command_data* data, uint32_t index) {
  return ((const uint32_t*)data->in)[index];
}

static uint32_t get_version(struct command_data* data) {
  const uint32_t words[] = {TERN_MGMT_MAILBOX_VERSION, boot_record.version,
                            boot_record.security_version, boot_record.slot};
  append(data, words, sizeof words);
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t get_status(struct command_data* data) {
  const struct tern_status_reply reply = {
      .phase = chip_phase(),
      .heartbeat = health.heartbeat,
      .uptime_us = clock_us_of_ticks(clock_now()),
      .boot_error = chip_boot_error(),
      .reset_cause = chip_reset_cause(),
      .cores_ready = chip_ready_cores(),
      .cores_bad = health.cores_bad,
      .hbm_bad = health.hbm_bad,
      .link_bad = health.link_bad,
  };
  append(data, &reply, sizeof reply);
  return TERN_MAILBOX_STATUS_OK;
}

// Devices whose registers have no side effects when they are read.
static int is_readable(uint32_t address) {
  static const uint64_t kPages[] = {TERN_MGMT_OTP_BASE, TERN_MGMT_CONTROL_BASE,
                                    TERN_MGMT_SENSORS_BASE, TERN_MGMT_POWER_BASE};
  if (address % 4 != 0) return 0;
  for (unsigned i = 0; i < sizeof kPages / sizeof kPages[0]; ++i) {
    if (address >= kPages[i] && address - kPages[i] < TERN_MGMT_CONTROL_STRIDE) return 1;
  }
  return 0;
}

static uint32_t read_registers(struct command_data* data) {
  const uint32_t count = data->in_bytes / 4;
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_readable(word_of(data, i))) return TERN_MAILBOX_STATUS_ARGUMENT;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t value = mmio_read(word_of(data, i));
    append(data, &value, sizeof value);
  }
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t get_counters(struct command_data* data) {
  for (uint32_t c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) {
    const uint32_t count = errors_count(c);
    append(data, &count, sizeof count);
  }
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t get_log(struct command_data* data) {
  struct tern_error_entry entry;
  uint32_t number = word_of(data, 0);
  while (errors_entry(number, &entry) && append(data, &entry, sizeof entry))
    number = entry.number + 1;
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t clear_errors(struct command_data* data) {
  if (word_of(data, 0) >> TERN_ERROR_CLASS_COUNT != 0) return TERN_MAILBOX_STATUS_ARGUMENT;
  // First: an error that comes meanwhile calls again.
  bmc_set_attention(false);
  errors_clear(word_of(data, 0));
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t get_sensors(struct command_data* data) {
  for (unsigned i = 0; i < sensors_count(); ++i) {
    const struct tern_sensor_reading reading = sensors_read(i);
    append(data, &reading, sizeof reading);
  }
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t set_power_limit(struct command_data* data) {
  const uint32_t permille = word_of(data, 0);
  if (permille < LEAST_POWER || permille > POWER_FULL) return TERN_MAILBOX_STATUS_ARGUMENT;
  health_set_power_limit(permille);
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t reset_cores(struct command_data* data) {
  const uint32_t cores = word_of(data, 0);
  if ((uint64_t)cores >> chip_cores() != 0) return TERN_MAILBOX_STATUS_ARGUMENT;
  const uint32_t ready = bringup_reset_cores(cores);
  health.cores_bad &= ~(cores & ready);
  append(data, &ready, sizeof ready);
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t get_training(struct command_data* data) {
  for (unsigned unit = 0; unit < UNITS; ++unit) {
    const uint32_t status = chip_training_status(unit);
    if (status == TERN_TRAINING_ABSENT) continue;
    const struct tern_training_reply reply = {
        .unit = (uint8_t)unit,
        .status = (uint8_t)status,
        .attempts = (uint16_t)chip_training_attempts(unit),
        .margin = chip_training_margin(unit),
    };
    append(data, &reply, sizeof reply);
  }
  return TERN_MAILBOX_STATUS_OK;
}

static uint32_t train_links(struct command_data* data) {
  const uint32_t ports = word_of(data, 0);
  const unsigned count = (unsigned)chip_links();
  if ((uint64_t)ports >> count != 0) return TERN_MAILBOX_STATUS_ARGUMENT;
  const uint32_t passed = bringup_train("link", TERN_MGMT_UNIT_LINK, count, ports);
  append(data, &passed, sizeof passed);
  return TERN_MAILBOX_STATUS_OK;
}

// Every command with the bytes of its request.
struct command {
  uint32_t code, least, most;
  uint32_t (*run)(struct command_data* data);
};
static const struct command kCommands[] = {
    {TERN_COMMAND_GET_VERSION, 0, 0, get_version},
    {TERN_COMMAND_GET_STATUS, 0, 0, get_status},
    {TERN_COMMAND_READ_REGISTERS, 4, 4 * TERN_MGMT_MAILBOX_MOST_REGISTERS, read_registers},
    {TERN_COMMAND_GET_COUNTERS, 0, 0, get_counters},
    {TERN_COMMAND_GET_LOG, 4, 4, get_log},
    {TERN_COMMAND_CLEAR_ERRORS, 4, 4, clear_errors},
    {TERN_COMMAND_GET_SENSORS, 0, 0, get_sensors},
    {TERN_COMMAND_SET_POWER_LIMIT, 4, 4, set_power_limit},
    {TERN_COMMAND_RESET_CORES, 4, 4, reset_cores},
    {TERN_COMMAND_GET_TRAINING, 0, 0, get_training},
    {TERN_COMMAND_TRAIN_LINKS, 4, 4, train_links},
};
static_assert(sizeof kCommands / sizeof kCommands[0] == TERN_COMMAND_COUNT, "a command is missing");

uint32_t command_run(struct command_data* data) {
  for (unsigned i = 0; i < sizeof kCommands / sizeof kCommands[0]; ++i) {
    const struct command* const command = &kCommands[i];
    if (command->code != data->code) continue;
    if (data->in_bytes < command->least || data->in_bytes > command->most ||
        data->in_bytes % 4 != 0)
      return TERN_MAILBOX_STATUS_SIZE;
    return command->run(data);
  }
  return TERN_MAILBOX_STATUS_UNKNOWN;
}
