import { fileStem, saveFile } from '../../page/save-file.ts';
import { inlined } from './inlined.ts';
import { legendOf } from './legend.ts';
import type { Picture } from './picture.ts';

/** Saves a drawn chart: as standalone SVG, or as PNG at twice the size. */

const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 12;
const TITLE = 26;
/** Estimated pixels per letter of the title, on the safe side. */
const LETTER = 8;

const textAt = (text: string, x: number, y: number, fill: string, more = ''): SVGTextElement => {
  const element = document.createElementNS(SVG, 'text');
  element.textContent = text;
  element.setAttribute('x', String(x));
  element.setAttribute('y', String(y));
  element.setAttribute('fill', fill);
  element.setAttribute('font-size', more === 'title' ? '13' : '11');
  if (more === 'title') element.setAttribute('font-weight', '600');
  if (more === 'end') element.setAttribute('text-anchor', 'end');
  return element;
};

/** HTML labels over the drawing, at their positions. */
const labels = (box: Element, from: DOMRect): SVGTextElement[] =>
  [...box.querySelectorAll('.chart-labels > span')].map((span) => {
    const { right, top, height } = span.getBoundingClientRect();
    const { color } = getComputedStyle(span);
    const y = top - from.top + height / 2 + 4;
    return textAt(span.textContent, right - from.left, y, color, 'end');
  });

/** @returns the chart inside `box` as SVG with its title; null if nothing is drawn */
export const drawnIn = (box: Element, title: string): Picture | null => {
  // Options above a picture may have icons.
  const drawing = box.querySelector('.picture-box svg') ?? box.querySelector('svg');
  if (!drawing) return null;
  const from = drawing.getBoundingClientRect();
  const legend = legendOf(box, Math.max(from.width, LETTER * title.length));
  const width = Math.ceil(Math.max(from.width, LETTER * title.length, legend.width)) + 2 * MARGIN;
  const below = MARGIN + TITLE + Math.ceil(from.height);
  const height = below + legend.height + MARGIN;
  const page = getComputedStyle(document.documentElement);
  const root = document.createElementNS(SVG, 'svg');
  root.setAttribute('xmlns', SVG);
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  root.setAttribute('viewBox', `0 0 ${width} ${height}`);
  root.setAttribute('font-family', 'system-ui, sans-serif');
  const paper = document.createElementNS(SVG, 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', page.getPropertyValue('--panel').trim() || '#fff');
  root.append(paper);
  const ink = page.getPropertyValue('--text').trim() || '#000';
  root.append(textAt(title, MARGIN, MARGIN + 13, ink, 'title'));
  const inside = document.createElementNS(SVG, 'g');
  inside.setAttribute('transform', `translate(${MARGIN} ${MARGIN + TITLE})`);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  inlined(drawing, copy);
  // Cursor marks belong only to the page.
  for (const mark of copy.querySelectorAll('[data-chosen]')) mark.remove();
  copy.setAttribute('width', String(from.width));
  copy.setAttribute('height', String(from.height));
  inside.append(copy, ...labels(box, from));
  root.append(inside);
  if (legend.elements.length > 0) {
    const words = document.createElementNS(SVG, 'g');
    words.setAttribute('transform', `translate(${MARGIN} ${below})`);
    words.append(...legend.elements);
    root.append(words);
  }
  return { svg: new XMLSerializer().serializeToString(root), width, height };
};

const pngOf = async (svg: string, width: number, height: number): Promise<Blob> => {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    const paper = canvas.getContext('2d');
    if (!paper) throw new Error('this browser cannot make a canvas of that size');
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else
          reject(
            new Error(
              `this browser could not draw a bitmap of ${canvas.width} × ${canvas.height} pixels`,
            ),
          );
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
};

/**
 * Saves a picture under a name made from its title.
 * @throws Error if the browser cannot draw the bitmap
 */
export const savePicture = async (
  { svg, width, height }: Picture,
  title: string,
  format: 'svg' | 'png',
): Promise<void> => {
  const blob =
    format === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg, width, height);
  saveFile(`${fileStem(title)}.${format}`, blob);
};
