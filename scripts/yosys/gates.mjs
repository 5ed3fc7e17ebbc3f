// SPDX-License-Identifier: Apache-2.0
// Usage: node gates.mjs OUTPUT_FOLDER LIBERTY|- TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Synthesises TOP with PARAMETERS ("Lanes=1"; - for none), flat, to the gates of Yosys, and with LIBERTY to its cells, too.
// Writes netlist.v and netlist.json (of gates), generic.json, memories.json, mapped.json with LIBERTY, and yosys.log. Memories become registers.
import {mkdirSync, readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, writtenBy} from './yosys.mjs';

const [folder, liberty, top, include, parameters, ...sources] = process.argv.slice(2);
if (sources.length === 0) {
  console.error('usage: node gates.mjs OUTPUT_FOLDER LIBERTY|- TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});

const files = filesFor([include], sources);
const results = ['generic.json', 'memories.json', 'netlist.v', 'netlist.json'];
const mapping = [];
if (liberty !== '-') {
  files['cells.lib'] = readFileSync(liberty);
  results.push('mapped.json');
  mapping.push('design -load logic', 'dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_PN0_ 01 -cell $_DFF_PN1_ 01',
    'dfflibmap -liberty cells.lib', 'abc -liberty cells.lib', 'opt_clean -purge',
    'tee -q -o mapped.json stat -json -liberty cells.lib');
}
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  // With parameters it is called $paramod...
  `rename -top ${top}`,
  `synth -noshare -flatten -top ${top} -run begin:fine`,
  'select t:$mem_v2', 'write_json -selected memories.json', 'select -clear',
  `synth -noshare -top ${top} -run fine: -noabc`,
  'delete t:$scopeinfo', 'design -save logic',
  'abc', 'opt_clean -purge', 'check -assert',
  'tee -q -o generic.json stat -json', 'ltp -noff', 'write_verilog -noattr netlist.v', 'write_json netlist.json',
  ...mapping,
].join('; ');

const written = await writtenBy(script, files, top, folder, 'yosys.log');
for (const name of results) keep(folder, name, written[name]);
