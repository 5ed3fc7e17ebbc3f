// SPDX-License-Identifier: Apache-2.0
// Shared by the scripts of this folder: Yosys from npm and the files it reads.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

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

// The sources with every file list (rtl/BLOCK/BLOCK.f: paths from the root of the tree) replaced by what it lists.
export function listed(sources) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const paths = (list) => readFileSync(list, 'utf8').split('\n').filter((line) => /^[^/+]/.test(line)).map((line) => join(root, line));
  return sources.flatMap((source) => (source.endsWith('.f') ? paths(source) : [source]));
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

// --passed FOLDER at the head of the arguments: what has passed is kept there by content.
export function takePassedFolder(args) {
  return args[0] === '--passed' ? args.splice(0, 2)[1] : null;
}

// Of all that a result depends on: Yosys itself, the files and what is done with them.
export function hashOf(files, ...texts) {
  const hash = createHash('sha256');
  const add = (text) => hash.update(`${text.length}:`).update(text);
  add(readFileSync(new URL('package-lock.json', import.meta.url)));
  texts.forEach(add);
  const all = [...Object.entries(files.include), ...Object.entries(files).filter(([name]) => name !== 'include')];
  for (const [name, bytes] of all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    add(name);
    add(bytes);
  }
  return hash.digest('hex');
}

// Text of an earlier pass, or null.
export function passedBefore(folder, hash) {
  if (!folder) return null;
  try {
    return readFileSync(join(folder, hash), 'utf8');
  } catch {
    return null;
  }
}

export function keepPassed(folder, hash, text) {
  if (!folder) return;
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, `${hash}.partial.${process.pid}`), text);
  renameSync(join(folder, `${hash}.partial.${process.pid}`), join(folder, hash));
}

// A file of a result's folder, there only when it is complete.
export function keep(folder, name, bytes) {
  writeFileSync(join(folder, `${name}.partial`), bytes);
  renameSync(join(folder, `${name}.partial`), join(folder, name));
}

// What a script writes; its output is kept in the folder. Ends this program with the last lines if Yosys refuses.
export async function writtenBy(script, files, top, folder, log) {
  const yosys = await loadYosys();
  const lines = [];
  const say = (bytes) => {
    if (bytes) lines.push(new TextDecoder().decode(bytes));
  };
  try {
    const written = await yosys.runYosys(['-p', script], files, {stdout: say, stderr: say});
    keep(folder, log, lines.join(''));
    return written;
  } catch (error) {
    keep(folder, log, lines.join(''));
    console.error(lines.join('').split('\n').slice(-15).join('\n'));
    console.error(`Yosys refused ${top}: ${error.message ?? error}`);
    process.exit(1);
  }
}
