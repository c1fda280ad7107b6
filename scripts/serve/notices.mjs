import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The notices of the packages that a build contains: name, version, licence, source and licence text of each,
 * as their licences ask for with every copy.
 */

export const NOTICES = 'THIRD-PARTY.txt';

const MODULES = `node_modules${sep}`;
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * What a package has compiled or copied into its own files.
 * @type {Record<string, string>}
 */
const CONTAINS = {
  '@mlc-ai/web-llm':
    "It contains the web runtime of Apache TVM, XGrammar and tokenizers-cpp, with Hugging Face's tokenizers\nand SentencePiece (all Apache-2.0).",
  'hnswlib-wasm': 'It contains hnswlib (Apache-2.0), compiled.',
  'onnxruntime-web':
    'It contains ONNX Runtime, compiled. The notices of what that contains:\nhttps://github.com/microsoft/onnxruntime/blob/main/ThirdPartyNotices.txt',
};

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const ISC = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;

const UNLICENSE = `This is free and unencumbered software released into the public domain.
For more information, please refer to <https://unlicense.org/>`;

/**
 * For packages that name their licence and leave out its text.
 * @type {Record<string, string>}
 */
const STANDARD = { MIT, ISC, Unlicense: UNLICENSE };

/**
 * @typedef {{ name: string, version: string, license?: string, author?: string | { name: string },
 *   homepage?: string, repository?: string | { url: string } }} Manifest
 */

/** @type {(folder: string) => Manifest} */
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The folder of the package that a module belongs to; null for a module of ours.
 * @param {string} id as the bundler names it: a path, with a query where it has one
 */
export function packageOf(id) {
  const [path = ''] = id.replace(/^\0/, '').split('?');
  const at = path.lastIndexOf(MODULES);
  if (at < 0) return null;
  const start = at + MODULES.length;
  const [first = '', second = ''] = path.slice(start).split(sep);
  return path.slice(0, start) + (first.startsWith('@') ? join(first, second) : first);
}

/** @type {(manifest: Manifest) => string} */
const sourceOf = ({ homepage, repository }) =>
  (typeof repository === 'string' ? repository : repository?.url)
    ?.replace(/^git\+/, '')
    .replace(/\.git$/, '') ??
  homepage ??
  '';

/**
 * @param {string} folder
 * @param {Manifest} manifest
 * @throws Error where the package has no licence text, and its licence none that is known here
 */
function licenceText(folder, { name, license = '', author }) {
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  if (files.length > 0)
    return files
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
      .join('\n\n');
  const text = STANDARD[license];
  if (text === undefined)
    throw new Error(
      `${name} has no licence text, and ${license || 'its licence'} has none in scripts/serve/notices.mjs; add it there`,
    );
  const holder = typeof author === 'string' ? author : author?.name;
  return `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${text}`;
}

/**
 * @param {Iterable<string>} folders of packages
 * @returns {string} packages by name; those that share a text share one section
 */
export function noticesOf(folders) {
  /** @type {Map<string, string[]>} */
  const heads = new Map();
  const sorted = [...new Set(folders)]
    .map((folder) => ({ folder, manifest: manifestOf(folder) }))
    .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  for (const { folder, manifest } of sorted) {
    const { name, version, license } = manifest;
    const text = licenceText(folder, manifest);
    const lines = [`${name} ${version} (${license ?? 'see below'})`, sourceOf(manifest)];
    const head = [...lines, CONTAINS[name] ?? ''].filter((line) => line !== '').join('\n');
    heads.set(text, [...(heads.get(text) ?? []), head]);
  }
  const sections = [...heads].map(([text, names]) => `${names.join('\n\n')}\n\n${text}`);
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `Forage contains the following packages, each under its own licence.${rule}${sections.join(rule)}\n`;
}

/**
 * Packages of a build that are installed for development only: `npm audit --omit=dev` would not look at them.
 *
 * @param {Iterable<string>} folders
 * @param {string} root holds package-lock.json
 */
export function notDependencies(folders, root) {
  /** @type {{ packages: Record<string, { dev?: boolean }> }} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return [...folders].filter(
    (folder) =>
      lock.packages[
        folder
          .slice(root.length + 1)
          .split(sep)
          .join('/')
      ]?.dev,
  );
}

/**
 * Collects the packages of a build and of the workers that it builds, and writes their notices beside it.
 *
 * @param {string} root of the repository
 * @returns {{ collect: import('vite').Plugin, write: import('vite').Plugin }} `collect` for the workers too
 */
export function notices(root) {
  /** @type {Set<string>} */
  const folders = new Set();
  return {
    collect: {
      name: 'collect-packages',
      apply: 'build',
      generateBundle(_, files) {
        for (const file of Object.values(files))
          // Of an asset, such as a font, the file that it was copied from.
          for (const id of file.type === 'chunk'
            ? file.moduleIds
            : file.originalFileNames.map((name) => join(root, name))) {
            const folder = packageOf(id);
            if (folder !== null && existsSync(join(folder, 'package.json'))) folders.add(folder);
          }
      },
    },
    write: {
      name: 'write-notices',
      apply: 'build',
      generateBundle: {
        order: 'post',
        handler() {
          const development = notDependencies(folders, root);
          if (development.length > 0)
            this.error(
              `the build contains packages that package.json has in devDependencies; move them to dependencies: ${development.map((folder) => manifestOf(folder).name).join(', ')}`,
            );
          this.emitFile({ type: 'asset', fileName: NOTICES, source: noticesOf(folders) });
        },
      },
    },
  };
}
