import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** One blue, as for policy tokens; shade 6 has AA contrast with white text and shade 4 with dark text. */
const blue: MantineColorsTuple = [
  '#eaf2fb',
  '#d3e3f5',
  '#a8c8ec',
  '#7db0e4',
  '#5b9bdb',
  '#3a7fc4',
  '#1f5fa8',
  '#1a528f',
  '#164577',
  '#11375f',
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
  primaryColor: 'blue',
  primaryShade: { light: 6, dark: 7 },
  colors: { blue, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
});
