// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern {

// Energies of events and power that always flows, for estimates (docs/energy.md). They change no
// result and no time.
struct EnergyConfig {
  // Picojoules.
  double array_a_pj = 0;      // a multiply-add of array A, whatever its format
  double array_x_pj = 0;      // one of array X
  double weight_pj = 0;       // an element loaded into a cell
  double element_pj = 0;      // an operation of Vector, Scalar or GpSimd on an element
  double exponential_pj = 0;  // a result of the exponential unit
  double sbuf_byte_pj = 0;    // read or written by an engine
  double psum_byte_pj = 0;
  double dma_byte_pj = 0;  // moved by a DMA engine, with network and buffers
  double hbm_byte_pj = 0;  // on the buses of the stacks
  // Watts.
  double links_w = 0;  // transceivers, which run whether data flow or not
  double idle_w = 0;   // all the rest that does not depend on work: clocks, leakage, refresh
};

}  // namespace tern
