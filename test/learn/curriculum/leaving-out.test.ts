import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import type { Curriculum, CurriculumContext, Json } from '../../../src/learn/rl/contracts.ts';
import type { PolicySession } from '../../../src/policy/policy.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
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

type LeaveOut = NonNullable<TrainSettings['curriculum']['leaveOut']>;
const curriculumOf = (leaveOut: LeaveOut, of = [...questions, closed], pool = 96): Curriculum => {
  const base = getTraining('s3/grpo');
  const settings = { ...base, curriculum: { ...base.curriculum, pool, leaveOut } };
  return createCurriculum(settings, { questions: of, retriever: retrieverOver() });
};

const prepared = (curriculum: Curriculum, stop = false) => {
  const policy = new KnowingPolicy();
  const saved: Json[] = [];
  const context: CurriculumContext = {
    agent: { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    runId: 'run',
    shouldStop: () => stop,
    onProgress: () => undefined,
    save: () => Promise.resolve(void saved.push(structuredClone(curriculum.state()))),
  };
  return { policy, saved, done: curriculum.prepare?.(context) ?? Promise.resolve(true) };
};

const drawn = async (curriculum: Curriculum): Promise<string[]> => {
  const some = await curriculum.draw({ step: 1, batch: 0, count: 8 });
  return [...new Set(some.map(({ question }) => question.id))].toSorted();
};

describe('leaving questions out', () => {
  it('s3 trains on what one retrieval does not answer, and on no yes or no', async () => {
    expect(getTraining('s3/grpo').curriculum.leaveOut).toEqual(['one-retrieval', 'yes-no']);
    const curriculum = curriculumOf(['one-retrieval', 'yes-no']);
    const { policy, done } = prepared(curriculum);
    await expect(curriculum.draw({ step: 1, batch: 0, count: 1 })).rejects.toThrow(
      'have not been asked yet',
    );
    expect(await done).toBe(true);
    expect(policy.asked).toBe(4);
    expect(await drawn(curriculum)).toEqual(['Cordine', 'Estdine']);
  });

  it('yes-no alone asks nothing', async () => {
    const curriculum = curriculumOf(['yes-no']);
    const { policy, done } = prepared(curriculum);
    expect(await done).toBe(true);
    expect(policy.asked).toBe(0);
    expect(await drawn(curriculum)).toEqual(NAMES.toSorted());
    expect(() => curriculumOf(['yes-no'], [closed])).toThrow('leaveOut without yes-no');
  });

  it('goes on where it was stopped, and draws what it would have drawn', async () => {
    const whole = curriculumOf(['one-retrieval']);
    const { saved, done } = prepared(whole);
    await done;
    expect(await prepared(curriculumOf(['one-retrieval']), true).done).toBe(false);
    const again = curriculumOf(['one-retrieval']);
    again.restore(saved.at(-1) ?? null);
    const rest = prepared(again);
    expect([await rest.done, rest.policy.asked]).toEqual([true, 0]);
    await whole.draw({ step: 1, batch: 0, count: 2 });
    const third = curriculumOf(['one-retrieval']);
    third.restore(whole.state());
    expect(await third.draw({ step: 2, batch: 0, count: 3 })).toEqual(
      await whole.draw({ step: 2, batch: 0, count: 3 }),
    );
  });

  it('says so where nothing is left', async () => {
    const known = questions.filter(({ id }) => KNOWN.includes(id));
    await expect(prepared(curriculumOf(['one-retrieval'], known)).done).rejects.toThrow(
      'one retrieval answers all 2 questions',
    );
  });
});
