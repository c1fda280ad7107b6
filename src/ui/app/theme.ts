import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** One blue, the policy's; shade 6 carries white text and shade 4 dark text at AA contrast. */
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

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 6, dark: 7 },
  colors: { blue },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
});
