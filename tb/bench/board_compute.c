/* SPDX-License-Identifier: Apache-2.0 */
#include "tb/bench/board_compute.h"

enum { kNumbers = 8192 };

static unsigned g_values[kNumbers];
static unsigned char g_composite[kNumbers];

static void sort(unsigned* first, unsigned* last) {
  while (first < last) {
    unsigned* low = first;
    unsigned* high = last;
    const unsigned middle = first[(last - first) / 2];
    while (low <= high) {
      while (*low < middle) ++low;
      while (*high > middle) --high;
      if (low > high) break;
      const unsigned other = *low;
      *low++ = *high;
      *high-- = other;
    }
    sort(first, high);
    first = low;
  }
}

static unsigned primes(void) {
  unsigned count = 0;
  for (unsigned i = 0; i < kNumbers; ++i) g_composite[i] = 0;
  for (unsigned i = 2; i < kNumbers; ++i) {
    if (g_composite[i]) continue;
    ++count;
    for (unsigned k = 2 * i; k < kNumbers; k += i) g_composite[k] = 1;
  }
  return count;
}

static unsigned crc(unsigned value, unsigned crc) {
  crc ^= value;
  for (unsigned bit = 0; bit < 32; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320u : 0);
  return crc;
}

unsigned board_compute(unsigned seed) {
  for (unsigned i = 0; i < kNumbers; ++i) {
    seed = seed * 1664525u + 1013904223u;
    g_values[i] = seed >> 8;
  }
  sort(g_values, g_values + kNumbers - 1);
  unsigned sum = primes();
  for (unsigned i = 0; i < kNumbers; i += 8) sum = crc(g_values[i] / (i + 1), sum);
  return sum;
}
