import { Button } from '@mantine/core';
import { openChapter } from '../tour/store/tour-store.ts';

/** The way from a model file to a model that searches, as a chapter of the tour. */
export const TeachCard = () => (
  <section aria-labelledby="teach">
    <h2 id="teach">Teach a real model to search</h2>
    <p>
      Open a GGUF file, make demonstrations from your questions and passages, and train an adapter
      in this tab: a cold start, then RL. The tour shows each step.
    </p>
    <Button size="xs" onClick={() => openChapter('real-model')}>
      Show me how
    </Button>
  </section>
);
