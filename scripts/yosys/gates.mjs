// SPDX-License-Identifier: Apache-2.0
// Usage: node gates.mjs [--macros BITS "MODULE ..."] OUTPUT_FOLDER LIBERTY|- TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Synthesises TOP with PARAMETERS ("Lanes=1"; - for none), flat, to the gates of Yosys, and with LIBERTY to its cells, too.
// Writes netlist.v and netlist.json (of gates), generic.json, memories.json, macros.json, mapped.json with LIBERTY, and yosys.log.
// Memories become registers. With --macros those of BITS and more that are in one of the modules do not: they stay as black boxes,
// and macros.json has the cells.
import {mkdirSync, readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, words, writtenBy} from './yosys.mjs';

const args = process.argv.slice(2);
const [leastBits, macros] = args[0] === '--macros' ? args.splice(0, 3).slice(1) : [0, '-'];
const [folder, liberty, top, include, parameters, ...sources] = args;
if (sources.length === 0) {
  console.error('usage: node gates.mjs [--macros BITS "MODULE ..."] OUTPUT_FOLDER LIBERTY|- TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});

const files = filesFor([include], sources);
const results = ['generic.json', 'memories.json', 'macros.json', 'netlist.v', 'netlist.json'];
const mapping = [];
if (liberty !== '-') {
  files['cells.lib'] = readFileSync(liberty);
  results.push('mapped.json');
  mapping.push('design -load logic', 'dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_PN0_ 01 -cell $_DFF_PN1_ 01',
    'dfflibmap -liberty cells.lib', 'abc -liberty cells.lib', 'opt_clean -purge',
    'tee -q -o mapped.json stat -json -liberty cells.lib');
}
const read = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  // With parameters it is called $paramod...
  `rename -top ${top}`,
];

// The elaborated modules of that many bits, as patterns. Each write port has an address and a word.
function large(modules) {
  const bits = ({ports}) => {
    const [enables, address, data] = ['write_i', 'write_address_i', 'write_data_i'].map((name) => ports[name].bits.length);
    return 2 ** (address / enables) * (data / enables);
  };
  return Object.keys(modules).filter((name) => bits(modules[name]) >= Number(leastBits)).map((name) => name.replace(/[^\w$]/g, '?'));
}

let boxes = [];
if (words(macros).length > 0) {
  const modules = words(macros).map((name) => `A:hdlname=*${name}`).join(' ');
  const written = await writtenBy([...read, `select ${modules}`, 'proc', 'write_json -selected modules.json'].join('; '), files, top, folder, 'yosys.log');
  boxes = large(JSON.parse(Buffer.from(written['modules.json']).toString()).modules);
}
const script = [
  ...read,
  ...boxes.map((name) => `blackbox ${name}`),
  `synth -noshare -flatten -top ${top} -run begin:fine`,
  `select ${boxes.map((name) => `t:${name}`).join(' ') || '-none'}`, 'write_json -selected macros.json',
  'select t:$mem_v2', 'write_json -selected memories.json', 'select -clear',
  `synth -noshare -top ${top} -run fine: -noabc`,
  'delete t:$scopeinfo', 'design -save logic',
  'abc', 'opt_clean -purge', 'check -assert',
  'tee -q -o generic.json stat -json', 'ltp -noff', 'write_verilog -noattr netlist.v', 'write_json netlist.json',
  ...mapping,
].join('; ');

const written = await writtenBy(script, files, top, folder, 'yosys.log');
for (const name of results) keep(folder, name, written[name]);
