import type { Writer } from './layout.ts';

/** Colours of token cells: who wrote a token, what the update does with it, and the marks on a cell. */
export type Palette = Record<Writer | 'hatch' | 'mark' | 'gain' | 'loss' | 'idle', string>;

/** The colours of the theme in force, from the style sheet's variables. */
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
 * The palette of a colour scheme. Reading the variables costs a style pass, so each scheme is read once.
 * @param element any element of the page; it must already have the scheme when it is the first to ask
 */
export const paletteOf = (element: Element, scheme: string): Palette => {
  const known = palettes.get(scheme) ?? readPalette(element);
  palettes.set(scheme, known);
  return known;
};
