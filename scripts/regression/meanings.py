# SPDX-License-Identifier: Apache-2.0
"""What each stage is, in one line, in the order of a run; for terminal and page."""
MEANINGS = {
    "tests": "every test of the tiers smoke, full and nightly",
    "faults": "the RTL with one deliberate fault at a time: a bench must fail each time",
    "mutants": "the RTL with one change at a time that a program chose: a bench should fail",
    "speed": "benchmarks; ratios are taken in one process against a baseline; a missed target fails nothing",
    "coverage": "the lines of C++ that tests reach",
    "rtl-coverage": "the part of the RTL that its benches reach: lines, toggles of bits, cover points",
    "rtl-random": "the RTL's benches with random values in every register and memory at the start",
    "sanitizers": "tests of the tier smoke, compiled with checks of addresses and undefined behaviour",
    "threads": "tests of the tier smoke, compiled with a check of every access that two threads share",
    "robustness": "the tern program on hostile input, killed, without room: it keeps what its documentation promises",
    "fuzz": "libFuzzer: generated inputs, on which model and RTL must agree",
    "build": "the whole tree built from nothing in an empty folder, without the compiler cache",
}
OWN = "a stage of your own"
