/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of work of integers, branches, loads and stores for bench_board, compiled for the board
   and for this host: sieve, quicksort, CRC-32. Returns a checksum. */
#pragma once

#ifdef __cplusplus
extern "C"
#endif
    unsigned
    board_compute(unsigned seed);
