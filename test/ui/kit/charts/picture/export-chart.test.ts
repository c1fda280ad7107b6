import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawnIn, savePicture } from '../../../../../src/ui/kit/charts/picture/export-chart.ts';
import { escapeXml } from '../../../../../src/base/xml-text.ts';

/** As much of a document as an exported chart asks for; in browsers the end-to-end tests save real ones. */
class Drawn {
  readonly attributes = new Map<string, string>();
  readonly children: Drawn[] = [];
  textContent = '';
  /** As style sheets set them. */
  styles: Record<string, string> = {};
  box = { left: 0, top: 0, width: 0, height: 0 };

  constructor(
    readonly name: string,
    attributes: Record<string, string> = {},
    ...children: Drawn[]
  ) {
    for (const [key, value] of Object.entries(attributes)) this.attributes.set(key, value);
    this.children.push(...children);
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  append(...nodes: Drawn[]): void {
    this.children.push(...nodes);
  }
  cloneNode(): Drawn {
    const copies = this.children.map((child) => child.cloneNode());
    const copy = new Drawn(this.name, Object.fromEntries(this.attributes), ...copies);
    copy.textContent = this.textContent;
    return copy;
  }
  getBoundingClientRect(): object {
    const { left, top, width, height } = this.box;
    return { ...this.box, right: left + width, bottom: top + height };
  }
  /** `.a .b`, `.a > b` and names, which is all that is asked for. */
  querySelectorAll(selector: string): Drawn[] {
    const [first = '', ...rest] = selector.split(/ (?:> )?/);
    const found = this.children.flatMap((child) => [
      ...(first === child.name || first === `.${child.attributes.get('class')}` ? [child] : []),
      ...child.querySelectorAll(first),
    ]);
    return rest.length === 0
      ? found
      : found.flatMap((child) => child.querySelectorAll(rest.join(' ')));
  }
  querySelector(selector: string): Drawn | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
}

const written = ({ name, attributes, children, textContent }: Drawn): string => {
  const own = [...attributes].map(([key, value]) => ` ${key}="${escapeXml(value)}"`).join('');
  return `<${name}${own}>${escapeXml(textContent)}${children.map(written).join('')}</${name}>`;
};

interface Saved {
  name: string;
  type: string;
  text: string;
}

let saved: Promise<Saved>[] = [];
let revoked: string[] = [];

beforeEach(() => {
  saved = [];
  revoked = [];
  const blobs: Blob[] = [];
  const link = {
    href: '',
    download: '',
    click: () => {
      const { download: name } = link;
      const blob = blobs.at(-1);
      if (blob) saved.push(blob.text().then((text) => ({ name, type: blob.type, text })));
    },
  };
  const page = new Drawn('html');
  page.styles = { '--panel': ' #101010', '--text': '#eeeeee' };
  vi.stubGlobal('document', {
    documentElement: page,
    createElement: () => link,
    createElementNS: (_: string, name: string) => new Drawn(name),
  });
  vi.stubGlobal('getComputedStyle', ({ styles }: Drawn) => ({
    color: styles['color'],
    getPropertyValue: (name: string) => styles[name] ?? '',
  }));
  vi.stubGlobal(
    'XMLSerializer',
    class {
      serializeToString = written;
    },
  );
  vi.stubGlobal('URL', {
    createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`,
    revokeObjectURL: (url: string) => revoked.push(url),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A line in its drawing, as the page has it, and the name at its end. */
const chart = (): Drawn => {
  const path = new Drawn('path', { class: 'line', style: 'x', d: 'M0 0H9' });
  path.styles = { stroke: 'rgb(1, 2, 3)', 'stroke-width': '2px' };
  const drawing = new Drawn('svg', { class: 'plot' }, new Drawn('g', {}, path));
  drawing.box = { left: 100, top: 50, width: 300.5, height: 120 };
  const name = new Drawn('span');
  name.textContent = 'reward <mean>';
  name.styles = { color: 'rgb(9, 9, 9)' };
  name.box = { left: 350, top: 80, width: 50.5, height: 10 };
  const labels = new Drawn('div', { class: 'chart-labels' }, name);
  const icon = new Drawn('svg', { class: 'icon' });
  return new Drawn('div', {}, icon, new Drawn('div', { class: 'picture-box' }, drawing, labels));
};

const pictureIn = (box: Drawn, title: string) => drawnIn(box as unknown as Element, title);

const svgOf = async (box = chart(), title = 'Reward, by step'): Promise<Saved> => {
  const picture = pictureIn(box, title);
  if (!picture) throw new Error('nothing is drawn');
  await savePicture(picture, title, 'svg');
  const [file] = await Promise.all(saved);
  if (!file) throw new Error('nothing was saved');
  return file;
};

describe('a chart as an SVG file', () => {
  it('is named after its title, and contains it as text', async () => {
    const { name, type, text } = await svgOf(chart(), 'KL < 0.1 & “more”');
    expect([name, type]).toEqual(['kl-0.1-more.svg', 'image/svg+xml']);
    expect(text).toContain('>KL &lt; 0.1 &amp; “more”</text>');
  });

  it('looks as on the page without its style sheets', async () => {
    const { text } = await svgOf();
    expect(text).toContain('<path d="M0 0H9" stroke="rgb(1, 2, 3)" stroke-width="2px">');
    expect(text).not.toMatch(/class=|style=/);
    expect(text).toContain('<rect width="100%" height="100%" fill="#101010">');
    expect(text).toMatch(/fill="#eeeeee"[^>]*>Reward, by step</);
  });

  it('leaves the page as it was', async () => {
    const box = chart();
    const before = written(box);
    await svgOf(box);
    expect(written(box)).toBe(before);
  });

  it('has room for the whole drawing below its title, and the drawing, not an icon, in it', async () => {
    const { text } = await svgOf();
    const [, width = 0, height = 0] = (/^<svg[^>]*viewBox="0 0 (\d+) (\d+)"/.exec(text) ?? []).map(
      Number,
    );
    const [, x = 0, y = 0] = (/translate\((\d+) (\d+)\)/.exec(text) ?? []).map(Number);
    const [, titleY = 0] = (/<text x="\d+" y="(\d+)"/.exec(text) ?? []).map(Number);
    expect(x + 300.5).toBeLessThanOrEqual(width);
    expect(y + 120).toBeLessThanOrEqual(height);
    expect(y).toBeGreaterThan(titleY);
    expect(text).toContain('width="300.5" height="120"');
  });

  it('keeps the labels over the drawing at their positions', async () => {
    const { text } = await svgOf();
    // Its right end at 400.5 of the page is 300.5 of the drawing; its middle at 85 is 35, the baseline below.
    expect(text).toContain(
      '<text x="300.5" y="39" fill="rgb(9, 9, 9)" font-size="11" text-anchor="end">reward &lt;mean&gt;</text>',
    );
  });

  it('is null if nothing is drawn', () => {
    expect(pictureIn(new Drawn('div'), 'empty')).toBeNull();
  });
});

describe('a chart as a PNG file', () => {
  const picture = { svg: '<svg/>', width: 300, height: 100 };

  /** A browser that draws pictures. */
  const drawing = (decode: () => Promise<void>, blob: Blob | null) => {
    const page = document;
    const canvas = {
      width: 0,
      height: 0,
      drawn: [] as number[],
      getContext: () => ({
        drawImage: (_: unknown, ...box: number[]) => void (canvas.drawn = box),
      }),
      toBlob: (give: (blob: Blob | null) => void) => give(blob),
    };
    vi.stubGlobal('document', {
      createElement: (name: string) => (name === 'canvas' ? canvas : page.createElement(name)),
    });
    vi.stubGlobal(
      'Image',
      class {
        src = '';
        decode = decode;
      },
    );
    return canvas;
  };

  it('is twice as large, so that it is sharp', async () => {
    const canvas = drawing(() => Promise.resolve(), new Blob(['p'], { type: 'image/png' }));
    await savePicture(picture, 'Reward', 'png');
    expect([canvas.width, canvas.height, canvas.drawn]).toEqual([600, 200, [0, 0, 600, 200]]);
    expect(await Promise.all(saved)).toEqual([
      { name: 'reward.png', type: 'image/png', text: 'p' },
    ]);
    expect(revoked).toEqual(['blob:1']);
  });

  it('that cannot be drawn or written saves nothing and keeps nothing', async () => {
    drawing(() => Promise.reject(new Error('it is no picture')), null);
    await expect(savePicture(picture, 'Reward', 'png')).rejects.toThrow('it is no picture');
    drawing(() => Promise.resolve(), null);
    await expect(savePicture(picture, 'Reward', 'png')).rejects.toThrow(
      'could not draw a bitmap of 600 × 200 pixels',
    );
    expect(saved).toEqual([]);
    expect(revoked).toEqual(['blob:1', 'blob:2']);
  });
});
