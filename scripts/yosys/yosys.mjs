// SPDX-License-Identifier: Apache-2.0
// Shared by the scripts of this folder: Yosys from npm and the files it reads.
import {readFileSync, readdirSync} from 'node:fs';
import {basename, join} from 'node:path';

// A list separated by blanks; - is an empty one.
export const words = (text) => text.split(' ').filter((w) => w !== '' && w !== '-');

// "Rows=8 Cols=8" as options of `hierarchy`.
export const chparams = (parameters) =>
    words(parameters).map((p) => p.split('=')).map(([name, value]) => `-chparam ${name} ${value}`).join(' ');

export async function loadYosys() {
  try {
    return await import('@yowasp/yosys');
  } catch (error) {
    console.error('Yosys is not installed: run scripts/setup (or: npm ci --omit=dev --prefix scripts/yosys)');
    console.error(String(error.message ?? error));
    process.exit(1);
  }
}

// Yosys runs in a separate file system: the sources, and the headers (.svh) of the folders in include/.
export function filesFor(folders, sources) {
  const files = {include: {}};
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.svh')) files.include[name] = readFileSync(join(folder, name));
    }
  }
  for (const source of sources) files[basename(source)] = readFileSync(source);
  return files;
}
