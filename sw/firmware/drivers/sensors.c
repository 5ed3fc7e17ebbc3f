// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/sensors.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"

static uint32_t get(uint32_t offset) {
  return mmio_read((uintptr_t)TERN_MGMT_SENSORS_BASE + offset);
}

uint32_t sensors_count(void) {
  return get(TERN_REG_SENSORS_COUNT);
}

struct tern_sensor_reading sensors_read(unsigned number) {
  const uint32_t from = number * TERN_REG_SENSORS_VALUE_STRIDE;
  struct tern_sensor_reading reading;
  reading.id = (uint16_t)number;
  reading.kind = (uint16_t)get(TERN_REG_SENSORS_KIND + from);
  reading.value = (int32_t)get(TERN_REG_SENSORS_VALUE + from);
  reading.low = (int32_t)get(TERN_REG_SENSORS_LOW + from);
  reading.high = (int32_t)get(TERN_REG_SENSORS_HIGH + from);
  return reading;
}
