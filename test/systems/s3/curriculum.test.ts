import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { Curriculum, CurriculumContext, Json } from '../../../src/learn/rl/contracts.ts';
import type { PolicySession } from '../../../src/policy/policy.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { curriculum } from '../../../src/systems/s3/curriculum.ts';
import type { Selection } from '../../../src/systems/s3/system.ts';
import type { Question } from '../../../src/records/records.ts';
import { idsOf, ScriptedPolicy, ScriptedSession } from '../../agent/scripted-policy.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

/** s3 leaves out what one retrieval answers: here the questions about Belric and Markas. */

const NAMES = ['Belric', 'Cordine', 'Markas', 'Estdine'];
const KNOWN = ['Belric', 'Markas'];
const questions: Question[] = NAMES.map((name) => ({
  id: name,
  text: `In which city was ${name} born?`,
  answers: ['Borfield'],
  supporting: [name],
}));
const closed: Question = { id: 'closed', text: 'Was he?', answers: ['Yes'], supporting: [] };

class KnowingPolicy extends ScriptedPolicy {
  asked = 0;
  constructor() {
    super({ main: [] });
  }
  override open(): Promise<PolicySession> {
    const session: ScriptedSession = new ScriptedSession(() => {
      this.asked++;
      const text = tokenizer.decode(session.ids);
      const answer = KNOWN.some((name) => text.includes(name)) ? 'Borfield' : 'Gilridge';
      return { ids: idsOf(` ${answer} }</short_answer>`), logprob: -0.5 };
    }, this);
    return Promise.resolve(session);
  }
}

const curriculumOf = (selection: Selection, of = [...questions, closed]): Curriculum => {
  const settings = getTraining('s3/grpo');
  return curriculum(selection, { settings, questions: of, retriever: retrieverOver(), seed: 1 });
};
const ASKS: Selection = { pool: 96, yesNo: false };

const prepared = (made: Curriculum, stop = false) => {
  const policy = new KnowingPolicy();
  const saved: Json[] = [];
  const context: CurriculumContext = {
    agent: { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    runId: 'run',
    shouldStop: () => stop,
    onProgress: () => undefined,
    save: () => Promise.resolve(void saved.push(structuredClone(made.state()))),
  };
  return { policy, saved, done: made.prepare?.(context) ?? Promise.resolve(true) };
};

const drawn = async (made: Curriculum): Promise<string[]> => {
  const some = await made.draw({ step: 1, batch: 0, count: 8 });
  return [...new Set(some.map(({ question }) => question.id))].toSorted();
};

describe('leaving questions out', () => {
  it('s3 trains on what one retrieval does not answer, and on no yes or no', async () => {
    expect(getTraining('s3/grpo').curriculum.system).toEqual({ id: 's3', pool: 192, yesNo: true });
    const made = curriculumOf({ pool: 96, yesNo: true });
    const { policy, done } = prepared(made);
    await expect(made.draw({ step: 1, batch: 0, count: 1 })).rejects.toThrow(
      'have not been asked yet',
    );
    expect(await done).toBe(true);
    expect(policy.asked).toBe(4);
    expect(await drawn(made)).toEqual(['Cordine', 'Estdine']);
  });

  it('yes-no alone asks nothing', async () => {
    const made = curriculumOf({ pool: null, yesNo: true });
    const { policy, done } = prepared(made);
    expect(await done).toBe(true);
    expect(policy.asked).toBe(0);
    expect(await drawn(made)).toEqual(NAMES.toSorted());
    expect(() => curriculumOf({ pool: null, yesNo: true }, [closed])).toThrow('set yesNo to false');
  });

  it('goes on where it was stopped, and draws what it would have drawn', async () => {
    const whole = curriculumOf(ASKS);
    const { saved, done } = prepared(whole);
    await done;
    expect(await prepared(curriculumOf(ASKS), true).done).toBe(false);
    const again = curriculumOf(ASKS);
    again.restore(saved.at(-1) ?? null);
    const rest = prepared(again);
    expect([await rest.done, rest.policy.asked]).toEqual([true, 0]);
    await whole.draw({ step: 1, batch: 0, count: 2 });
    const third = curriculumOf(ASKS);
    third.restore(whole.state());
    expect(await third.draw({ step: 2, batch: 0, count: 3 })).toEqual(
      await whole.draw({ step: 2, batch: 0, count: 3 }),
    );
  });

  it('says so where nothing is left', async () => {
    const known = questions.filter(({ id }) => KNOWN.includes(id));
    await expect(prepared(curriculumOf(ASKS, known)).done).rejects.toThrow(
      'one retrieval answers all 2 questions',
    );
  });
});
