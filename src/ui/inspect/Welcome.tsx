import { Button } from '@mantine/core';
import { runFromStart } from '../stores/actions.ts';
import { useRun } from '../stores/run-store.ts';
import { useView } from '../stores/view-store.ts';
import { LoadingList } from './Loading.tsx';

const START = {
  world: 'Run an example',
  chosen: 'Run this question',
};

/** Before the first run: one sentence, one button. */
export const Welcome = () => {
  const wanted = useRun((state) => state.wanted);
  const asked = useView((state) => state.address.asked);
  return (
    <div className="welcome">
      <h1>Watch a language model think, search, route, filter and answer.</h1>
      <p>
        A small policy runs in this tab, on your device. It answers questions about a fictional
        encyclopedia that it has never seen, so every answer has to be found. Each card that appears
        is one thing that really happened: a thought, a query, a routing decision, passages read, a
        verdict, the answer.
      </p>
      <Button size="md" loading={wanted} onClick={() => void runFromStart()}>
        {asked ? START.chosen : START.world}
      </Button>
      <p className="fine">
        or choose or type another question, and change the recipe, in the setup at the left ( s )
      </p>
      <LoadingList />
    </div>
  );
};
