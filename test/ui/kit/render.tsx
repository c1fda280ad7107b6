import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Router } from 'wouter';

/** What a component shows, as a page would, without a browser. */

interface Store {
  getState: () => object;
  getInitialState: () => object;
}

/**
 * Without a browser React reads a store's first state, for a page that was drawn on a server. For as
 * long as something is drawn, the first state of these stores is the one that they have now.
 */
const asNow = <T,>(stores: readonly Store[], draw: () => T): T => {
  const undo = [...new Set(stores)].map((store) => {
    const first = store.getInitialState();
    const kept = { ...first };
    Object.assign(first, store.getState());
    return () => Object.assign(first, kept);
  });
  try {
    return draw();
  } finally {
    undo.forEach((one) => one());
  }
};

/** @param stores that are shown as they are now */
export const htmlOf = (node: ReactNode, ...stores: Store[]): string =>
  htmlOfAt('/', node, ...stores);

/** @param path of the page that it is on */
export const htmlOfAt = (path: string, node: ReactNode, ...stores: Store[]): string =>
  asNow(stores, () =>
    renderToStaticMarkup(
      <MantineProvider withCssVariables={false} withGlobalClasses={false}>
        <Router ssrPath={path}>{node}</Router>
      </MantineProvider>,
    ),
  ).replaceAll(/<style[^>]*>.*?<\/style>/gs, '');

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&amp;': '&',
};

const decode = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/** The words that are read, one space between them. */
export const wordsIn = (html: string): string =>
  decode(
    html
      .replaceAll(/<(?:p|div|blockquote|li|td|th|dt|dd|tr|option|h\d)\b[^>]*>/g, ' ')
      .replaceAll(/<[^>]*>/g, ''),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();

export const textOf = (node: ReactNode, ...stores: Store[]): string =>
  wordsIn(htmlOf(node, ...stores));

export interface Control {
  /** As a screen reader says it. */
  name: string;
  disabled: boolean;
  /** All that is in the tag. */
  tag: string;
}

const attribute = (tag: string, name: string): string | null => {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? null : decode(found);
};

const controls = (html: string, element: string): Control[] =>
  [...html.matchAll(new RegExp(`<${element}\\b([^>]*)>(.*?)</${element}>`, 'gs'))].map(
    ([, tag = '', inner = '']) => ({
      name: attribute(tag, 'aria-label') ?? wordsIn(inner),
      disabled: / disabled=""/.test(tag),
      tag,
    }),
  );

export const buttonsIn = (html: string): Control[] => controls(html, 'button');
export const linksIn = (html: string): { name: string; href: string | null }[] =>
  controls(html, 'a').map(({ name, tag }) => ({ name, href: attribute(tag, 'href') }));

/** Rows of every table, by the words of their cells. */
export const rowsIn = (html: string): string[][] =>
  [...html.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => wordsIn(cell)),
  );

/** Values of an attribute, in order. */
export const valuesOf = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => decode(value));
