// SPDX-License-Identifier: Apache-2.0
// Usage: node modules.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Netlists for benches: each module of TOP becomes gates by itself, however often it is there, and memories stay memories. Writes
// netlist.v and yosys.log. The gates are those of a quick `abc`: for counts of gates there is gates.mjs.
import {mkdirSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, writtenBy} from './yosys.mjs';

const [folder, top, include, parameters, ...sources] = process.argv.slice(2);
if (sources.length === 0) {
  console.error('usage: node modules.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  // With parameters it is called $paramod...
  `rename -top ${top}`,
  `synth -noshare -top ${top} -run begin:fine`,
  'opt -fast -full', 'opt -undriven -fine', 'techmap', 'opt -fast', 'delete t:$scopeinfo',
  'abc -fast', 'opt_clean -purge', 'check -assert',
  // A net of its own for each bit, outputs behind buffers: where bits of a vector follow from each other, Verilator sees a loop,
  // and 5.006 then gives wrong bits without saying so.
  'iopadmap -bits -outpad $_BUF_ A:Y', 'splitnets', 'write_verilog -noattr netlist.v',
].join('; ');

const written = await writtenBy(script, filesFor([include], sources), top, folder, 'yosys.log');
keep(folder, 'netlist.v', written['netlist.v']);
