// SPDX-License-Identifier: Apache-2.0
// Something to debug: sums a table and ends the run with a pass.
volatile unsigned long counter;
volatile int table[4] = {1, 2, 3, 4};

__attribute__((noinline)) int add(int a, int b) {
  return a + b;
}

static void finish(unsigned value) {
  *(volatile unsigned*)0x100000 = value;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum = add(sum, table[i]);
    counter += 1;
  }
  finish(sum == 10 ? 0x5555 : 0x13333);
  return sum;
}
