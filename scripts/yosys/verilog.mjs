// SPDX-License-Identifier: Apache-2.0
// Usage: node verilog.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv|LIST.f...
//
// Writes TOP with PARAMETERS ("Rows=2 Cols=1"; - for none) as Verilog of 2005, register by register: rtl.v in the folder, and its
// log. For simulators that read no SystemVerilog (scripts/second-simulator).
import {mkdirSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, listed, writtenBy} from './yosys.mjs';

const [folder, top, include, parameters, ...given] = process.argv.slice(2);
const sources = listed(given);
if (sources.length === 0) {
  console.error('usage: node verilog.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv|LIST.f...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  'proc',
  'opt_clean',
  'check -assert',
  'write_verilog -noattr rtl.v',
].join('; ');
const written = await writtenBy(script, filesFor([include], sources), top, folder, 'verilog.log');
keep(folder, 'rtl.v', written['rtl.v']);
