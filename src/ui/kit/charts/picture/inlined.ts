/** What style sheets may have set; a file has none, so each element gets its own. */
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

/** What an element would have without an attribute of its own: its parent's, except for `opacity`, which is not inherited. */
type Inherited = Readonly<Record<string, string>>;

/** Gives every element of `copy` the look of its twin in `source`, which is on the page. */
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
