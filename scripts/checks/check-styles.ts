/**
 * What keeps the style of one place of the page from reaching into another. Below `src/ui/<place>` every
 * rule stands within `:where(.at-<place>)`, the class that the frame puts around the place's page; so a
 * class name means something there alone. What all places share (`kit`, `lab`, `setup`, the frame) has
 * rules of the whole page: each begins with a class, and no two files speak for the same class. Elements
 * as such are styled in `kit/styles/base.css` alone. Prints every rule that does otherwise.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parse, type ChildNode } from 'postcss';

const MOST_LINES = 400;
/** Folders of `src/ui` that are a page of the rail or belong to one; each has a class `at-<name>`. */
const PLACES = ['ask', 'rollouts', 'train', 'runs', 'corpus', 'models', 'evaluate'];
/** The theme's variables and what elements look like. */
const WHOLE_PAGE = ['kit/styles/base.css', 'kit/styles/theme.css'];

export interface StyleSheet {
  /** Relative to `src/ui`. */
  path: string;
  text: string;
}

/** The classes that a rule of the whole page speaks for: the first compound of each selector. */
const leading = (selector: string): string[] =>
  (/^[^\s>+~]+/.exec(selector)?.[0].match(/\.[\w-]+/g) ?? []).map((name) => name.slice(1));

/** Selectors of all rules, those within `@media` and `@container` too; not the steps of keyframes. */
function selectorsOf(nodes: readonly ChildNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === 'rule') return node.selectors;
    if (node.type === 'atrule' && node.name !== 'keyframes') return selectorsOf(node.nodes ?? []);
    return [];
  });
}

function keyframesOf(nodes: readonly ChildNode[]): string[] {
  return nodes.flatMap((node) =>
    node.type === 'atrule' && node.name === 'keyframes' ? [node.params] : [],
  );
}

/** The headline of the first screen alone is larger than the page's three sizes. */
const HEADLINE = 'ask/ask.css';

/** Sizes of text that are none of the three; code has its own, with its line height. */
function sizesOf(nodes: readonly ChildNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === 'rule' || node.type === 'atrule') return sizesOf(node.nodes ?? []);
    const own = node.type === 'decl' && node.prop === 'font-size';
    return own && !/^(var\(--text-(large|base|small)\)|inherit|1em)$/.test(node.value)
      ? [node.value]
      : [];
  });
}

/** What is wrong with the style sheets, a line each. */
export function styleFaults(sheets: readonly StyleSheet[]): string[] {
  const found: string[] = [];
  const speaksFor = new Map<string, string>();
  for (const { path, text } of sheets) {
    const lines = text.split('\n').length - 1;
    if (lines > MOST_LINES) found.push(`${path}: ${lines} lines, over ${MOST_LINES}`);
    const { nodes } = parse(text);
    for (const size of sizesOf(nodes).slice(path === HEADLINE ? 1 : 0))
      found.push(
        `${path}: font-size ${size}; the page has --text-large, --text-base, --text-small`,
      );
    const place = PLACES.find((name) => path.startsWith(`${name}/`));
    if (place !== undefined) {
      const root = `:where(.at-${place})`;
      for (const selector of selectorsOf(nodes))
        if (selector !== root) found.push(`${path}: “${selector}” is outside ${root}`);
      for (const name of keyframesOf(nodes))
        if (!name.startsWith(`${place}-`))
          found.push(
            `${path}: keyframes “${name}” are the whole page's; call them ${place}-${name}`,
          );
      continue;
    }
    if (WHOLE_PAGE.includes(path)) continue;
    for (const selector of selectorsOf(nodes)) {
      const [first] = leading(selector);
      if (first === undefined && !/\.[\w-]/.test(selector))
        found.push(`${path}: “${selector}” styles elements; only ${WHOLE_PAGE[0]} does`);
      if (first === undefined) continue;
      const other = speaksFor.get(first) ?? path;
      speaksFor.set(first, other);
      // A class of the page as a whole may stand before what a part of it is about.
      if (other !== path && first !== 'page')
        found.push(`${path}: “${selector}” is about .${first}, which ${other} speaks for`);
    }
  }
  return found;
}

function sheetsBelow(folder: string, root = folder): StyleSheet[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sheetsBelow(path, root);
    if (!entry.name.endsWith('.css')) return [];
    return [{ path: relative(root, path), text: readFileSync(path, 'utf8') }];
  });
}

function main(): void {
  const sheets = sheetsBelow(resolve('src/ui'));
  const found = styleFaults(sheets);
  for (const line of found) console.error(`src/ui/${line}`);
  console.log(
    `styles: ${sheets.length} files, ${found.length === 0 ? 'each within its place' : `${found.length} faults`}`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('check-styles.ts')) main();
