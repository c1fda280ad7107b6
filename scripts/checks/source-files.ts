import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** All TypeScript files below `folder`. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Specifiers of static and dynamic imports and re-exports. */
export function specifiers(text: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

/** The file that a relative specifier names, without a query such as `?worker`. */
export const targetOf = (file: string, specifier: string): string =>
  resolve(dirname(file), specifier.replace(/\?.*$/, ''));
