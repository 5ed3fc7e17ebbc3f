// SPDX-License-Identifier: Apache-2.0
// Usage: node synthesise.mjs OUTPUT_FOLDER ice40|ecp5 TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Synthesises TOP with PARAMETERS ("Rows=2 Cols=1"; - for none) for an FPGA family. Writes netlist.json for place and route,
// netlist.v and cells.v (models of its cells) for simulation, statistics.json and the log, each only when complete.
import {mkdirSync, readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, writtenBy} from './yosys.mjs';

const [folder, family, top, include, parameters, ...sources] = process.argv.slice(2);
const commands = {
  ice40: 'synth_ice40 -device u -dsp -spram',  // UP5K
  ecp5: 'synth_ecp5',
};
if (sources.length === 0 || !(family in commands)) {
  console.error('usage: node synthesise.mjs OUTPUT_FOLDER ice40|ecp5 TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});

const files = filesFor([include], sources);
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  `${commands[family]} -top ${top}`,
  // Notes on the hierarchy, which older places and routers take for cells.
  'delete t:$scopeinfo',
  'check -assert',
  'write_json netlist.json',
  'write_verilog -noattr netlist.v',
  'tee -q -o statistics.json stat -json',
].join('; ');

const written = await writtenBy(script, files, top, folder, 'synthesis.log');
if (family === 'ice40') {
  const share = new URL('node_modules/@yowasp/yosys/gen/share/ice40/cells_sim.v', import.meta.url);
  keep(folder, 'cells.v', readFileSync(share));
}
for (const name of ['netlist.json', 'netlist.v', 'statistics.json']) keep(folder, name, written[name]);
