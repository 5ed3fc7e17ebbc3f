// SPDX-License-Identifier: Apache-2.0
// Usage: node elaborate.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv...
//
// Reads TOP with PARAMETERS ("Lanes=1"; - for none) and writes its modules, without processes, as design.il: Debian's Yosys, which has
// no limit of memory, cannot read the sources, but this.
import {mkdirSync} from 'node:fs';
import {basename} from 'node:path';
import {chparams, filesFor, keep, writtenBy} from './yosys.mjs';

const [folder, top, include, parameters, ...sources] = process.argv.slice(2);
if (sources.length === 0) {
  console.error('usage: node elaborate.mjs OUTPUT_FOLDER TOP INCLUDE_FOLDER PARAMETERS FILE.sv...');
  process.exit(2);
}
mkdirSync(folder, {recursive: true});
const script = [
  `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
  `hierarchy -check -top ${top} ${chparams(parameters)}`,
  // With parameters it is called $paramod...
  `rename -top ${top}`,
  // Places in the sources would make another module of each line that moves.
  'proc', 'opt_clean', 'check -assert', 'delete t:$scopeinfo', 'setattr -mod -unset src', 'setattr -unset src *', 'write_rtlil design.il',
].join('; ');

const written = await writtenBy(script, filesFor([include], sources), top, folder, 'elaborate.log');
keep(folder, 'design.il', written['design.il']);
