import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The accent, an indigo of its own; shade 6 has AA contrast with white text and shade 4 with dark text. */
const indigo: MantineColorsTuple = [
  '#f0eefc',
  '#dfdbf8',
  '#c2bbf2',
  '#a79dec',
  '#8b7ee0',
  '#6a5bcb',
  '#4b3bb3',
  '#41329f',
  '#372a88',
  '#2c2270',
];

/** The dark greys of the style sheet, so that fields and panels match. */
const dark: MantineColorsTuple = [
  '#e7eaed',
  '#c9d0d7',
  '#9da7b2',
  '#77818c',
  '#414952',
  '#2b3138',
  '#22272d',
  '#191d21',
  '#15181c',
  '#121518',
];

/** Mantine’s components in the style of the style sheet. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 7 },
  colors: { indigo, dark },
  fontFamily: 'var(--sans)',
  fontSizes: { xs: '11px', sm: '13px', md: '13px', lg: '15px', xl: '15px' },
  headings: { fontFamily: 'var(--sans)' },
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
});
