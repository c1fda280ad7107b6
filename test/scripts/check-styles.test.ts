import { expect, it } from 'vitest';
import { styleFaults } from '../../scripts/checks/check-styles.ts';

const faults = (sheets: Record<string, string>): string[] =>
  styleFaults(Object.entries(sheets).map(([path, text]) => ({ path, text })));

it('lets a place style what is within it, in any width', () => {
  const text =
    ':where(.at-train) {\n .row { a: b }\n @media (max-width: 9px) { .row { a: c } }\n}\n';
  expect(faults({ 'train/form/form.css': text })).toEqual([]);
});

it('names a rule of a place that reaches over the whole page, in a media query too', () => {
  const text =
    '.row { a: b }\n@media print { .line { a: b } }\n:where(.at-ask) { .row { a: b } }\n';
  expect(faults({ 'train/train.css': text })).toEqual([
    'train/train.css: “.row” is outside :where(.at-train)',
    'train/train.css: “.line” is outside :where(.at-train)',
    'train/train.css: “:where(.at-ask)” is outside :where(.at-train)',
  ]);
});

it('asks for keyframes with the name of their place, since they hold everywhere', () => {
  const text =
    '@keyframes blink { 50% { opacity: 0 } }\n@keyframes ask-breathe { 50% { opacity: 0 } }\n';
  expect(faults({ 'ask/ask.css': text })).toEqual([
    "ask/ask.css: keyframes “blink” are the whole page's; call them ask-blink",
  ]);
});

it('lets one shared file alone speak for a class, and none but the base for elements', () => {
  const found = faults({
    'kit/styles/base.css': 'p { a: b }\n',
    'kit/charts/charts.css': '.chart { a: b }\n.page .chart-empty { a: b }\n',
    'lab/loading.css': '.chart > p { a: b }\nul { a: b }\n',
    'kit/styles/page.css': '.page { a: b }\n.page .note { a: b }\n',
  });
  expect(found).toEqual([
    'lab/loading.css: “.chart > p” is about .chart, which kit/charts/charts.css speaks for',
    'lab/loading.css: “ul” styles elements; only kit/styles/base.css does',
  ]);
});

it('names a style sheet that is longer than one sitting', () => {
  expect(faults({ 'lab/loading.css': '\n'.repeat(401) })).toEqual([
    'lab/loading.css: 401 lines, over 400',
  ]);
});

it('knows three sizes of text, and one headline', () => {
  const text =
    ':where(.at-train) {\n .row { font-size: 12px }\n .line { font-size: var(--text-small) }\n}\n';
  expect(faults({ 'train/train.css': text })).toEqual([
    'train/train.css: font-size 12px; the page has --text-large, --text-base, --text-small',
  ]);
});
