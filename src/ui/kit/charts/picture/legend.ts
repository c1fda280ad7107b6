import { inlined } from './inlined.ts';

/*
 * Explanations of a picture are HTML next to its drawing: sentences, and keys of its symbols. Elements
 * with `data-legend` are typeset below the drawing of the file, wrapped to its width; parts with
 * `data-page-only` (what a click does) are omitted.
 */

const SVG = 'http://www.w3.org/2000/svg';
const SIZE = 11;
const LINE = 16;
/** Between drawing and legend. */
const ABOVE = 10;
/** Minimum width of a wrapped sentence. */
const LEAST = 320;
const SPACE = 4;
/** Between list entries. */
const APART = 14;
/** Width of a symbol in pixels. */
const SIGN = 12;

/** Controls and screen-reader text do not explain the picture. */
const NOT_ITS = 'button:not(.explained), input, select, .visually-hidden, [data-page-only]';
const BLOCKS = 'p, div, ul';

interface Word {
  kind: 'word';
  text: string;
  colour: string;
  weight: string;
  /** No space before it. */
  joined: boolean;
}

type Item = Word | { kind: 'sign'; element: Element } | { kind: 'apart' } | { kind: 'line' };

const wordsOf = (text: string, parent: Element, joined: boolean): Word[] => {
  const { color: colour, fontWeight: weight } = getComputedStyle(parent);
  return text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word, at) => ({
      kind: 'word',
      text: word,
      colour,
      weight,
      // An acronym is an element, and the comma after it is another text node.
      joined: at === 0 && joined && !/^\s/.test(text),
    }));
};

/** Flattens an element into words and symbols. */
const read = (element: Element, items: Item[]): void => {
  if (element.matches(NOT_ITS)) return;
  if (element.localName === 'svg' || element.childNodes.length === 0) {
    items.push({ kind: 'sign', element });
    return;
  }
  if (element.matches(BLOCKS)) items.push({ kind: 'line' });
  if (element.localName === 'li') items.push({ kind: 'apart' });
  let ended = true;
  for (const node of element.childNodes) {
    if (node instanceof Element) {
      // The space before an element ends the text before it.
      const from = items.length;
      read(node, items);
      const [first] = items.slice(from);
      if (first?.kind === 'word' && !ended) first.joined = true;
      // Symbols always have a gap.
      ended = node.textContent === '' || /\s$/.test(node.textContent);
      continue;
    }
    const text = node.textContent ?? '';
    if (text === '') continue;
    items.push(...wordsOf(text, element, !ended));
    ended = /\s$/.test(text);
  }
};

const plainSign = (element: Element): SVGElement => {
  const { width, height } = element.getBoundingClientRect();
  const { backgroundColor, borderTopColor, borderTopWidth } = getComputedStyle(element);
  const border = Number.parseFloat(borderTopWidth);
  const sign = document.createElementNS(SVG, 'rect');
  sign.setAttribute('width', String(Math.max(1, (width || SIGN) - border)));
  sign.setAttribute('height', String(Math.max(1, (height || SIGN) - border)));
  const clear = backgroundColor === 'transparent' || backgroundColor.endsWith(', 0)');
  sign.setAttribute('fill', clear ? 'none' : backgroundColor);
  if (border > 0) sign.setAttribute('stroke', borderTopColor);
  return sign;
};

const drawnSign = (element: Element): SVGElement => {
  const copy = element.cloneNode(true) as SVGElement;
  inlined(element, copy);
  return copy;
};

interface Legend {
  elements: SVGElement[];
  /** Width in CSS pixels; 0 if absent. */
  width: number;
  height: number;
}

/** Sets words and symbols in lines, left-aligned. */
class Setting {
  readonly elements: SVGElement[] = [];
  #x = 0;
  #lines = 0;
  #widest = 0;
  /** Adjacent words of one style become one text. */
  #run: { element: SVGElement; text: string; from: number; look: string } | null = null;
  readonly #room: number;
  readonly #pen = document.createElement('canvas').getContext('2d');

  constructor(room: number) {
    this.#room = room;
  }

  get size(): { width: number; height: number } {
    const lines = this.#x > 0 ? this.#lines + 1 : this.#lines;
    return { width: this.#widest, height: ABOVE + lines * LINE };
  }

  put(item: Item): void {
    if (item.kind === 'line') this.#newLine();
    else if (item.kind === 'apart') this.#apart();
    else if (item.kind === 'sign') this.#place(item.element, SIGN);
    else this.#word(item);
  }

  #newLine(): void {
    if (this.#x > 0) this.#lines++;
    this.#x = 0;
    this.#run = null;
  }

  #apart(): void {
    if (this.#x > 0) this.#x += APART - SPACE;
    this.#run = null;
  }

  /** @returns its start */
  #take(width: number, joined = false): number {
    const gap = this.#x === 0 || joined ? 0 : SPACE;
    if (this.#x > 0 && this.#x + gap + width > this.#room) this.#newLine();
    const from = this.#x === 0 ? 0 : this.#x + gap;
    this.#reach(from + width);
    this.#run = null;
    return from;
  }

  #place(element: Element, room: number): void {
    const from = this.#take(room);
    const top = ABOVE + this.#lines * LINE + 2;
    const place = document.createElementNS(SVG, 'g');
    place.setAttribute('transform', `translate(${from + 0.5} ${top + 0.5})`);
    place.append(element.localName === 'svg' ? drawnSign(element) : plainSign(element));
    this.elements.push(place);
  }

  #word({ text, colour, weight, joined }: Word): void {
    const look = `${weight} ${colour}`;
    const run = this.#run;
    const longer = run && run.look === look ? `${run.text}${joined ? '' : ' '}${text}` : null;
    if (run && longer !== null && run.from + this.#widthOf(longer, weight) <= this.#room) {
      run.text = longer;
      run.element.textContent = longer;
      this.#reach(run.from + this.#widthOf(longer, weight));
      return;
    }
    const from = this.#take(this.#widthOf(text, weight), joined);
    const element = document.createElementNS(SVG, 'text');
    element.textContent = text;
    element.setAttribute('x', from.toFixed(1));
    element.setAttribute('y', String(ABOVE + this.#lines * LINE + 12));
    element.setAttribute('fill', colour);
    element.setAttribute('font-size', String(SIZE));
    if (weight !== '400') element.setAttribute('font-weight', weight);
    this.elements.push(element);
    this.#run = { element, text, from, look };
  }

  #widthOf(text: string, weight: string): number {
    if (!this.#pen) return text.length * SIZE;
    this.#pen.font = `${weight} ${SIZE}px system-ui, sans-serif`;
    return this.#pen.measureText(text).width;
  }

  #reach(x: number): void {
    this.#x = x;
    this.#widest = Math.max(this.#widest, x);
  }
}

/** @param room line width in CSS pixels */
export const legendOf = (box: Element, room: number): Legend => {
  const items: Item[] = [];
  for (const element of box.querySelectorAll('[data-legend]')) {
    items.push({ kind: 'line' });
    read(element, items);
  }
  if (!items.some(({ kind }) => kind === 'word')) return { elements: [], width: 0, height: 0 };
  const setting = new Setting(Math.max(room, LEAST));
  for (const item of items) setting.put(item);
  return { elements: setting.elements, ...setting.size };
};
