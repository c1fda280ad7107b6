import type { Writer } from './layout.ts';

/** Colours of token cells: writers, advantages, and marks. */
export type Palette = Record<Writer | 'hatch' | 'mark' | 'gain' | 'loss' | 'idle', string>;

/** The colours of the current theme, from CSS variables. */
const readPalette = (element: Element): Palette => {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim() || 'gray';
  return {
    prompt: read('--who-prompt'),
    policy: read('--who-policy'),
    environment: read('--who-environment'),
    hint: read('--who-hint'),
    hatch: read('--panel'),
    mark: read('--text'),
    gain: read('--gain'),
    loss: read('--loss'),
    idle: read('--line-strong'),
  };
};

const palettes = new Map<string, Palette>();

/**
 * The palette of a colour scheme. Reading CSS variables costs a style pass, so each scheme is read
 * once.
 * @param element any element of the page; it must already have the scheme on the first call
 */
export const paletteOf = (element: Element, scheme: string): Palette => {
  const known = palettes.get(scheme) ?? readPalette(element);
  palettes.set(scheme, known);
  return known;
};
