// SPDX-License-Identifier: Apache-2.0
// Usage: node lanes.mjs ROOT_OF_THE_TREE
//
// Synthesises a lane of each array (rtl/arith) with 1, 3 and 5 stages to generic gates. Prints a table: gates, flip-flops, and
// the longest path in gates between two registers.
import {basename, join} from 'node:path';
import {filesFor, loadYosys} from './yosys.mjs';

const [root] = process.argv.slice(2);
if (!root) {
  console.error('usage: node lanes.mjs ROOT_OF_THE_TREE');
  process.exit(2);
}
const common = ['common/tern_spec_pkg', 'common/tern_stage', 'arith/fp_pkg', 'tensor/tensor_pkg'];
const lanes = {
  fma_lane: [...common, 'arith/fma_pkg', 'arith/fma_lane'],
  mx_chain_lane: [...common, 'arith/mx_pkg', 'arith/mx_lane_pkg', 'arith/mx_chain_lane'],
};
console.log('| lane | `Stages` | gates | flip-flops | longest path in gates |\n|---|---|---|---|---|');
for (const [top, names] of Object.entries(lanes)) {
  const sources = names.map((name) => join(root, 'rtl', `${name}.sv`));
  const files = filesFor([join(root, 'rtl/common')], sources);
  for (const stages of [1, 3, 5]) {
    const script = [
      `read_verilog -sv -defer -Iinclude ${sources.map((s) => basename(s)).join(' ')}`,
      `hierarchy -check -top ${top} -chparam Stages ${stages}`,
      'synth -noshare -flatten', 'delete t:$scopeinfo', 'stat', 'ltp -noff',
    ].join('; ');
    const yosys = await loadYosys();
    let log = '';
    const keep = (bytes) => {
      if (bytes) log += new TextDecoder().decode(bytes);
    };
    await yosys.runYosys(['-p', script], files, {stdout: keep, stderr: keep});
    const last = log.slice(log.lastIndexOf('Number of cells:'));
    const cells = Number(/Number of cells:\s+(\d+)/.exec(last)[1]);
    const registers = [...last.matchAll(/^\s+\$_\w*DFF\w*_\s+(\d+)/gm)].reduce((sum, m) => sum + Number(m[1]), 0);
    const path = /Longest topological path in .*\(length=(\d+)\)/.exec(last)[1];
    console.log(`| \`${top}\` | ${stages} | ${(cells - registers).toLocaleString('en')} | ${registers} | ${path} |`);
  }
}
