/** CSS properties to inline: a file has no style sheets. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'paint-order',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;

/** Inherited values need no attribute; `opacity` is not inherited. */
type Inherited = Readonly<Record<string, string>>;

/** Copies the computed style of `source` on the page to the elements of `copy`. */
export const inlined = (source: Element, copy: Element, inherited: Inherited = {}): void => {
  const style = getComputedStyle(source);
  const own: Record<string, string> = {};
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (name !== 'opacity') own[name] = value;
    const before = name === 'opacity' ? '1' : inherited[name];
    if (value !== '' && value !== before) copy.setAttribute(name, value);
    else if (value === before) copy.removeAttribute(name);
  }
  copy.removeAttribute('class');
  copy.removeAttribute('style');
  for (const [index, child] of [...source.children].entries()) {
    const twin = copy.children[index];
    if (twin) inlined(child, twin, own);
  }
};
