// SPDX-License-Identifier: Apache-2.0
// Usage: node equivalent.mjs [--passed FOLDER] [--fault] TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Synthesises TOP to gates, writes the netlist, reads it back, and proves it equivalent to the RTL: each register and output by
// induction over its inputs. With --fault a gate of the netlist is another one, and there must be no proof.
// Exit code 0: proved; 1: not proved, or unreadable.
import {basename} from 'node:path';
import {chparams, filesFor, hashOf, keepPassed, loadYosys, passedBefore, takePassedFolder} from './yosys.mjs';

const args = process.argv.slice(2);
const folder = takePassedFolder(args);
const fault = args[0] === '--fault';
const [top, include, parameters, ...sources] = args.slice(fault ? 1 : 0);
if (sources.length === 0) {
  console.error('usage: node equivalent.mjs [--passed FOLDER] [--fault] TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
const files = filesFor([include], sources);
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  'rename -top gold', 'proc', 'flatten', 'memory', 'opt_clean', 'design -save rtl',
  'rename -top gate', 'synth -flatten -top gate', 'delete t:$scopeinfo', 'write_verilog -noattr netlist.v',
].join('; ');
const proof = [
  'read_rtlil rtl.il', 'read_verilog netlist.v', 'proc', 'techmap', 'async2sync',
  'equiv_make gold gate equiv', 'hierarchy -top equiv', 'opt_clean', 'equiv_simple', 'equiv_induct', 'equiv_status -assert',
].join('; ');

const hash = hashOf(files, script, proof, String(fault));
const before = passedBefore(folder, hash);
if (before !== null) {
  console.log(`${before}\nNothing has changed since: not proved again.`);
  process.exit(0);
}
const yosys = await loadYosys();
let log = '';
const keep = (bytes) => {
  if (bytes) log += new TextDecoder().decode(bytes);
};
const begin = Date.now();
const what = `${top}, ${parameters}`;
const run = async (commands, input) => {
  try {
    return await yosys.runYosys(['-p', commands], input, {stdout: keep, stderr: keep});
  } catch (error) {
    console.error(log.split('\n').slice(-25).join('\n'));
    console.error(`${what}: not ${commands === proof ? 'proved' : 'synthesised'} (${error.message ?? error})`);
    return null;
  }
};
const made = await run(`${script}; design -load rtl; write_rtlil rtl.il`, files);
if (!made) process.exit(1);
let netlist = Buffer.from(made['netlist.v']).toString();
if (fault) {
  const changed = netlist.replace(/ & /, ' | ');
  if (changed === netlist) {
    console.error(`${what}: the netlist has no gate to change`);
    process.exit(1);
  }
  netlist = changed;
}
const proved = await run(proof, {'rtl.il': made['rtl.il'], 'netlist.v': netlist});
if (fault ? proved || !/Found a total of \d+ unproven|Found \d+ unproven/.test(log) : !proved) {
  if (fault) console.error(`${what}: the fault is not noticed`);
  process.exit(1);
}
const count = /Found (\d+) \$equiv cells/.exec(log)?.[1] ?? '?';
const seconds = ((Date.now() - begin) / 1000).toFixed(1);
const text = fault ? `${what}: no proof with a changed gate, as expected: ${seconds} s`
                   : `${what}: the netlist is equivalent, ${count} points: ${seconds} s`;
console.log(text);
keepPassed(folder, hash, text);
