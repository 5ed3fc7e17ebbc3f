// SPDX-License-Identifier: Apache-2.0
// Something to debug backwards: one of many writes hits a variable that it should not.
volatile struct {
  unsigned long ring[8];
  unsigned long limit;
} state = {{0}, 1000};
volatile int spin;  // a debugger may set it: then the program does not begin

__attribute__((noinline)) static void note(unsigned long value) {
  state.ring[value % 9] = value;  // the ring has 8
}

__attribute__((noinline)) static void finish(unsigned value) {
  *(volatile unsigned*)0x100000 = value;
}

__attribute__((noinline)) static void failed(void) {
  finish(0x13333);
}

int main(void) {
  unsigned long value = 5;
  while (spin) {
  }
  for (int i = 0; i < 300000; ++i) value = (value * 75 + 74) % 65537 / 9 * 9 + 1;
  for (int i = 0; i < 300000; ++i) {
    note(i == 123456 ? value / 9 * 9 + 8 : value);
    value = (value * 75 + 74) % 65537 / 9 * 9 + 1;
  }
  if (state.limit != 1000) failed();
  finish(0x5555);
  return 0;
}
