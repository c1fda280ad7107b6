import { beforeEach, describe, expect, it } from 'vitest';
import { endChapter, goToStep, parseTour, restartTour } from '../../../src/ui/tour/tour-actions.ts';
import { useSession } from '../../../src/ui/kit/session-store.ts';

const IDS = ['ask', 'train', 'read'];
const now = () => {
  const { chapter, step, seen } = useSession.getState().tour;
  return { chapter, step, seen };
};

describe('the tour', () => {
  beforeEach(restartTour);

  it('goes to the next chapter that was not seen, whichever was taken first', () => {
    goToStep(1, 1);
    endChapter(IDS);
    expect(now()).toEqual({ chapter: 2, step: 0, seen: ['train'] });
    endChapter(IDS);
    expect(now()).toEqual({ chapter: 0, step: 0, seen: ['train', 'read'] });
    endChapter(IDS);
    // After the last: it is over.
    expect(now()).toEqual({ chapter: 3, step: 0, seen: ['train', 'read', 'ask'] });
  });

  it('counts a chapter once', () => {
    endChapter(IDS);
    goToStep(0, 0);
    endChapter(IDS);
    expect(now()).toEqual({ chapter: 1, step: 0, seen: ['ask'] });
  });

  it('continues at its stored position, and restarts if that is invalid', () => {
    const left = { chapter: 1, step: 1, seen: ['ask'] };
    expect(parseTour(JSON.stringify(left))).toEqual(left);
    for (const text of [null, '', '{}', '[1]', '{"chapter":-1,"step":0,"seen":[]}'])
      expect(parseTour(text)).toEqual({ chapter: 0, step: 0, seen: [] });
  });
});
