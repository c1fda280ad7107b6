import { expect, it } from 'vitest';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { EngineError } from '../../../src/retrieval/engines/http/errors.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { contextText, eventsOf, retrieverOver } from '../helpers.ts';
import { runText, serverOf } from './helpers.ts';

/** A retriever whose search number `at`, from 1, takes too long. */
function failing(at: number): Retriever {
  const real = retrieverOver();
  let searches = 0;
  return {
    search: (...asked) =>
      ++searches === at
        ? Promise.reject(new EngineError('timeout', 'no answer within 15 s'))
        : real.search(...asked),
  };
}

it('RAT leaves the second of three claims as it is where its search takes too long', async () => {
  const backend = serverOf([
    'Old Wolf is by Nora Vinford.\nNora Vinford was born in Estdor.\nEstdor lies in Mondria.',
    'author of Old Wolf',
    'Old Wolf is by Victor Kerlund.',
    'birth city of Victor Kerlund',
    'country of Estdor',
    ' Borfield} </short_answer>',
  ]);
  const rollout = await runText({
    policy: new TextPolicy(backend),
    recipe: 'rat',
    retriever: failing(2),
  });
  expect(eventsOf(rollout, 'aside').map(({ of }) => of)).toEqual([
    'draft',
    'query',
    'revision',
    'query',
    'query',
  ]);
  expect(eventsOf(rollout, 'error').map(({ what }) => what)).toEqual(['retrieval']);
  expect(contextText(rollout)).toContain(
    'Draft so far: Old Wolf is by Victor Kerlund. Nora Vinford was born in Estdor. Estdor lies in Mondria.',
  );
  expect(rollout.answer).toBe('Borfield');
});
