// SPDX-License-Identifier: Apache-2.0
// Usage: node run.mjs [--synth] TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Reads the synthesizable files with Yosys, elaborates TOP with PARAMETERS ("Rows=8 Cols=8"), and stops at anything
// that is not a netlist: unknown modules, latches, multiple drivers, combinational loops. Prints the cell counts. With --synth,
// which takes minutes, those after generic synthesis (gates and flip-flops) of the flattened design.
import {basename} from 'node:path';
import {chparams, filesFor, loadYosys} from './yosys.mjs';

const synthesise = process.argv[2] === '--synth';
const [top, includeFolder, parameters, ...sources] = process.argv.slice(synthesise ? 3 : 2);
if (sources.length === 0) {
  console.error('usage: node run.mjs [--synth] TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}

const yosys = await loadYosys();
const files = filesFor([includeFolder], sources);
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  'proc',
  'opt_clean',
  'select -assert-none t:$dlatch t:$adlatch t:$dlatchsr',
  'check -assert',
  ...(synthesise ? [`synth -flatten -top ${top}`] : []),
  'stat',
].join('; ');

const lines = [];
const keep = (bytes) => {
  if (bytes) lines.push(new TextDecoder().decode(bytes));
};
const begin = Date.now();
try {
  await yosys.runYosys(['-p', script], files, {stdout: keep, stderr: keep});
} catch (error) {
  console.error(lines.join('').split('\n').slice(-25).join('\n'));
  console.error(`Yosys refused ${top}: ${error.message ?? error}`);
  process.exit(1);
}
const log = lines.join('');
console.log(log.slice(log.lastIndexOf('Printing statistics')));
console.log(`Yosys read ${sources.length} files, top ${top}, ${parameters}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
