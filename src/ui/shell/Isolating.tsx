import { MantineProvider } from '@mantine/core';
import { theme } from '../kit/styles/theme.ts';

/** Shown while the page prepares its isolation reload. */
export const Isolating = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <main className="page" role="status">
      <h1>One moment</h1>
      <p>
        This host does not send the headers that isolate the page from other sites. Forage adds them
        and reloads once, only on the first visit.
      </p>
    </main>
  </MantineProvider>
);
