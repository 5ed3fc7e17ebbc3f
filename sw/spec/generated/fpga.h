// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/fpga.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_FPGA_H
#define TERN_SPEC_FPGA_H

#include <stdint.h>

#define TERN_FPGA_MAX_WORDS 240u  // of a write or read
#define TERN_FPGA_RING_ENTRIES 64u  // of four words each, at address 0 of the memory
#define TERN_FPGA_CLOCKS_PER_BIT 3u  // of the UART
#define TERN_FPGA_CLOCK_KHZ 6000u  // half of the board's oscillator

#define TERN_FPGA_VERSION 1u  // of link and descriptors
#define TERN_FPGA_END 192u  // between frames
#define TERN_FPGA_ESC 219u  // the next byte stands for another
#define TERN_FPGA_ESC_END 220u  // after esc: end
#define TERN_FPGA_ESC_ESC 221u  // after esc: esc
#define TERN_FPGA_ANSWER 128u  // bit of an answer's code
#define TERN_FPGA_NAK 255u  // code of a refusal

#define TERN_FPGA_REQ_INFO 1u
#define TERN_FPGA_REQ_WRITE 2u
#define TERN_FPGA_REQ_READ 3u
#define TERN_FPGA_REQ_DOORBELL 4u
#define TERN_FPGA_REQ_RESET 5u

#define TERN_FPGA_NAK_FRAME 1u  // a frame with a wrong CRC, length or escape
#define TERN_FPGA_NAK_REQUEST 2u  // an unknown request
#define TERN_FPGA_NAK_RANGE 3u  // bytes that do not fit the count, or no such address

#define TERN_FPGA_OP_TO_SBUF 1u  // memory to SBUF
#define TERN_FPGA_OP_TO_PSUM 2u  // memory to PSUM
#define TERN_FPGA_OP_FROM_PSUM 3u  // PSUM to memory
#define TERN_FPGA_OP_MULTIPLY 4u  // product
#define TERN_FPGA_OP_ADD 5u  // sums
#define TERN_FPGA_OP_EXP 6u  // exponentials

#define TERN_FPGA_STOP_OP 1u  // unknown operation
#define TERN_FPGA_STOP_RANGE 2u  // address out of range

#endif
