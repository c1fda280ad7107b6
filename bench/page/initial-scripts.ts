import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface InitialScript {
  file: string;
  /** Bytes that travel, compressed with gzip. */
  bytes: number;
}

/**
 * The scripts that a built page's index.html names, as entry or to preload: what the browser fetches
 * before the page can draw.
 * @param dist folder of the build, made for any base path
 * @throws Error where index.html names none
 */
export function initialScripts(dist: string): InitialScript[] {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path = '']) =>
    basename(path),
  );
  const files = [...new Set(named)];
  if (files.length === 0) throw new Error(`${dist}/index.html names no script`);
  return files.map((file) => ({
    file,
    bytes: gzipSync(readFileSync(join(dist, 'assets', file))).length,
  }));
}

/** Their sum in kB (1,000 bytes). */
export const initialKilobytes = (dist: string): number =>
  initialScripts(dist).reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
