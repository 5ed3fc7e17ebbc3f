// SPDX-License-Identifier: Apache-2.0
// Usage: node prove.mjs [--passed FOLDER] [--fault "..."] [--clocks] [--free "MODULE..."] TOP INCLUDE_FOLDERS PARAMETERS DEFINES STEPS FILE.sv...
//
// Proves the assertions in TOP by temporal induction (Yosys' `sat`): from reset they hold for STEPS cycles, and
// after STEPS cycles in which they hold, they hold in the next one. So a proof is without a limit of cycles.
// INCLUDE_FOLDERS, PARAMETERS ("Requesters=4 RateBits=3") and DEFINES are lists separated by blanks, - for none.
// Exit code 0: proved; 1: a counterexample (printed), not inductive within STEPS, or unreadable.
// With --free the outputs of these modules are arbitrary in every cycle: what is proved then holds whatever they do.
// With --clocks all clocks are independent: each may rise or fall in any step.
//
// With --fault "FILE.sv: SEARCH => REPLACE" in front, the text is replaced and the proof must fail (exit code 0): what a proof
// says is worth something only if it notices.
import {basename} from 'node:path';
import {chparams, filesFor, hashOf, keepPassed, loadYosys, passedBefore, takePassedFolder, words} from './yosys.mjs';

let rest = process.argv.slice(2);
const folder = takePassedFolder(rest);
let fault = null;
if (rest[0] === '--fault') {
  fault = /^(\S+): (.*) => (.*)$/s.exec(rest[1])?.slice(1);
  if (!fault) {
    console.error('--fault expects "FILE.sv: SEARCH => REPLACE"');
    process.exit(2);
  }
  rest = rest.slice(2);
}
let clocks = 'async2sync';
if (rest[0] === '--clocks') {
  clocks = 'clk2fflogic';
  rest = rest.slice(1);
}
let free = [];
if (rest[0] === '--free') {
  free = words(rest[1]);
  rest = rest.slice(2);
}
const [top, folders, parameters, defines, steps, ...sources] = rest;
if (sources.length === 0) {
  console.error('usage: node prove.mjs [--passed FOLDER] [--fault "..."] [--clocks] [--free "MODULE..."] TOP INCLUDE_FOLDERS PARAMETERS DEFINES STEPS FILE.sv...');
  process.exit(2);
}
const files = filesFor(words(folders), sources);
if (fault) {
  const [name, search, replace] = fault;
  const parts = (files[name] ?? '').toString().split(search);
  if (parts.length !== 2) {
    console.error(`the text to replace occurs ${parts.length - 1} times in ${name}`);
    process.exit(1);
  }
  files[name] = parts.join(replace);
}

// With parameters a module is called $paramod...\\NAME...
const cuts = free.flatMap((m) => [`select -assert-min 1 *${m}*`, `blackbox *${m}*`]);
if (free.length > 0) cuts.push('cutpoint -blackbox');
const script = [
  `read_verilog -sv -formal -defer -Iinclude ${words(defines).map((d) => `-D${d}`).join(' ')} ` +
    sources.map((s) => basename(s)).join(' '),
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  ...cuts,
  'proc', 'flatten',
  // Only what the assertions depend on.
  'delete -output', 'opt_clean -purge',
  'memory', clocks, 'chformal -lower', 'opt -full', 'clean -purge',
  'select -count t:$assert',
  `sat -tempinduct -prove-asserts -set-assumes -maxsteps ${steps} -verify -show-public`,
].join('; ');

const hash = hashOf(files, script, String(fault));
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
let failure = '';
try {
  await yosys.runYosys(['-p', script], files, {stdout: keep, stderr: keep});
} catch (error) {
  failure = String(error.message ?? error);
}
const asserts = /^(\d+) objects/m.exec(log)?.[1] ?? '?';
const seconds = ((Date.now() - begin) / 1000).toFixed(1);
const what = `${top}, ${parameters} ${defines}`;
const proved = !failure && /Induction step proven: SUCCESS!/.test(log);
// A base case or induction step that fails, not a file that cannot be read.
const refuted = /proof failed|Called with -verify and proof did fail/.test(log);
if (fault ? !refuted : !proved) {
  console.error(log.split('\n').slice(-400).join('\n'));
  console.error(`${what}: ${fault ? 'the fault is not noticed' : `not proved (${failure || 'see above'})`}, ${seconds} s`);
  process.exit(1);
}
const text = fault ? `${what}: no proof with the fault, as expected: ${seconds} s`
                  : `${what}: ${asserts} assertions proved by induction: ${seconds} s`;
console.log(text);
keepPassed(folder, hash, text);
