// SPDX-License-Identifier: Apache-2.0
// Writes the program file of the C program's test.
#include <systemc>

#include "sw/base/atomic_file.h"
#include "tb/nrt/programs.h"

int sc_main(int argc, char** argv) {
  if (argc != 2) return 2;
  tern::base::AtomicFile file(argv[1]);
  file.stream() << tern::tb::twice_file(1);
  file.commit();
  return 0;
}
