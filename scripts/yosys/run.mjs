// SPDX-License-Identifier: Apache-2.0
// Usage: node run.mjs [--passed FOLDER] [--synth] [--boxes "MODULE..."] TOP INCLUDE_FOLDER PARAMETERS FILE.sv|LIST.f...
//
// Reads the synthesizable files with Yosys, elaborates TOP with PARAMETERS ("Rows=8 Cols=8"), and stops at anything
// that is not a netlist: unknown modules, latches, multiple drivers, combinational loops. Prints the cell counts. With --synth,
// which takes minutes, those after generic synthesis (gates and flip-flops) of the flattened design. With --boxes only the ports of
// these modules are read.
import {basename} from 'node:path';
import {chparams, filesFor, hashOf, keepPassed, listed, loadYosys, passedBefore, takePassedFolder, words} from './yosys.mjs';

const args = process.argv.slice(2);
const folder = takePassedFolder(args);
const synthesise = args[0] === '--synth';
if (synthesise) args.shift();
const boxes = args[0] === '--boxes' ? words(args.splice(0, 2)[1]) : [];
const [top, includeFolder, parameters, ...given] = args;
const sources = listed(given);
if (sources.length === 0) {
  console.error('usage: node run.mjs [--passed FOLDER] [--synth] [--boxes "MODULE..."] TOP INCLUDE_FOLDER PARAMETERS FILE.sv|LIST.f...');
  process.exit(2);
}

const files = filesFor([includeFolder], sources);
const names = sources.map((source) => basename(source));
const isBox = (name) => boxes.includes(basename(name, '.sv'));
const unknown = boxes.find((box) => !names.includes(`${box}.sv`));
if (unknown) {
  console.error(`run.mjs: no source of the module ${unknown}`);
  process.exit(2);
}
const script = [
  `read_verilog -sv -defer -Iinclude ${names.filter((name) => !isBox(name)).join(' ')}`,
  ...names.filter(isBox).map((name) => `read_verilog -sv -lib -Iinclude ${name}`),
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  'proc',
  'opt_clean',
  'select -assert-none t:$dlatch t:$adlatch t:$dlatchsr',
  'check -assert',
  ...(synthesise ? [`synth -flatten -top ${top}`] : []),
  'stat',
].join('; ');

const hash = hashOf(files, script);
const before = passedBefore(folder, hash);
if (before !== null) {
  console.log(`${before}\nNothing has changed since: not read again.`);
  process.exit(0);
}

const yosys = await loadYosys();
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
const text = `${log.slice(log.lastIndexOf('Printing statistics'))}
Yosys read ${sources.length} files, top ${top}, ${parameters}: ${((Date.now() - begin) / 1000).toFixed(1)} s`;
console.log(text);
keepPassed(folder, hash, text);
