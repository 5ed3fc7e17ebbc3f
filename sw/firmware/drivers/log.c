// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/include/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/uart.h"

enum { LINE = 160, TEXT = 120, US_PER_S = 1000000 };

// What snprintf returned, as far as it had room.
static size_t written(int result, size_t room) {
  if (result < 0) return 0;
  return (size_t)result < room ? (size_t)result : room - 1;
}

void log_line(const char* format, ...) {
  char line[LINE];
  const uint64_t us = clock_us_of_ticks(clock_now());
  size_t at = written(snprintf(line, sizeof line, "[%3u.%06u] ", (unsigned)(us / US_PER_S),
                               (unsigned)(us % US_PER_S)),
                      sizeof line);
  va_list arguments;
  va_start(arguments, format);
  at += written(vsnprintf(line + at, TEXT + 1, format, arguments), TEXT + 1);
  va_end(arguments);
  line[at++] = '\r';
  line[at++] = '\n';
  uart_write(line, at);
}
