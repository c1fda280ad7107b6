import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { askFrozen } from '../../../src/learn/frozen/answers.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { FormBlock } from '../../../src/records/form-line.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout, hit, passage, retrieve } from '../../fixtures/rollouts.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import type { PolicySession } from '../../../src/policy/policy.ts';
import { idsOf, ScriptedPolicy, ScriptedSession } from '../../agent/scripted-policy.ts';

/** Who reads what: a scripted policy answers, and what it was shown is looked at. */

const question: Question = { id: 'q', text: 'Where?', answers: ['Borfield'], supporting: [] };
const [A, B, C] = ['Alpha', 'Beta', 'Gamma'].map((name) =>
  passage(name, name, `${name} is a town.`),
) as [ReturnType<typeof passage>, ReturnType<typeof passage>, ReturnType<typeof passage>];

const block = (kind: FormBlock, text: string): AgentEvent => ({
  t: 1,
  kind: 'block',
  block: kind,
  text,
});
const rolloutOf = (...events: AgentEvent[]): Rollout => ({ ...emptyRollout('r'), events });

const parts = { retriever: retrieverOver(), router: createRouter(), now: () => 0 };

/** What the frozen policy read, one text a time that it was asked. */
async function asked(rollout: Rollout, from: 'evidence' | 'memory' | 'selected') {
  const read: string[] = [];
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  const policy = {
    info,
    tokenizer,
    open: async () => {
      const session = await new ScriptedPolicy({ main: [' Borfield }</short_answer>'] }).open();
      const append = session.append.bind(session);
      const at = read.push('') - 1;
      session.append = (ids) => {
        read[at] += tokenizer.decode(ids);
        append(ids);
      };
      return session;
    },
    dispose: () => undefined,
  };
  const agent = { ...parts, policy };
  await askFrozen(agent, question, [rollout], { from, k: 1 });
  return { read, frozen: rollout.frozen ?? [] };
}

/** Answers with the last town that it read. */
class Reading extends ScriptedPolicy {
  towns: string[] = [];
  constructor() {
    super({ main: [] });
  }
  override open(): Promise<PolicySession> {
    const session: ScriptedSession = new ScriptedSession(() => {
      this.towns = this.tokenizer.decode(session.ids).match(/Borfield|Gilridge/gu) ?? [];
      return { ids: idsOf(` ${this.towns.at(-1)} }</short_answer>`), logprob: -0.5 };
    }, this);
    return Promise.resolve(session);
  }
}

describe('the frozen answerer', () => {
  it('reads the last evidence alone', async () => {
    const rollout = rolloutOf(
      retrieve([hit(A)]),
      block('evidence', 'old'),
      block('evidence', 'it is Borfield'),
    );
    const { read, frozen } = await asked(rollout, 'evidence');
    expect(read).toHaveLength(1);
    expect(read[0]).toContain('it is Borfield');
    expect(read[0]).not.toMatch(/old|Alpha/);
    expect(frozen).toEqual([{ from: 'evidence', answer: 'Borfield', em: 1, f1: 1, holds: 1 }]);
  });
  it('is not asked without a result before the block, or with an empty one', async () => {
    expect((await asked(rolloutOf(block('evidence', 'Borfield')), 'evidence')).frozen).toEqual([]);
    const none = rolloutOf(retrieve([hit(A)]), block('memory', 'none'));
    expect((await asked(none, 'memory')).frozen).toEqual([]);
  });
  it('of a memory reads the bank as named operations leave it: right behind update, wrong behind noop, both behind add', async () => {
    const behind = async (operation: string) => {
      const rollout = rolloutOf(
        retrieve([hit(A)]),
        block('memory', 'home of A is Gilridge'),
        retrieve([hit(B)]),
        block('memory', operation),
      );
      const answerer = new Reading();
      const agent = { ...parts, policy: answerer };
      await askFrozen(agent, question, [rollout], { from: 'memory', k: 1 });
      return [answerer.towns, rollout.frozen?.map(({ em }) => em)];
    };
    expect(await behind('update home of A is Borfield')).toEqual([['Borfield'], [1]]);
    expect(await behind('noop')).toEqual([['Gilridge'], [0]]);
    // Its answer is then the last of both.
    expect(await behind('add home of A is Borfield')).toEqual([['Gilridge', 'Borfield'], [1]]);
  });
  it('reads what was chosen of results with a choice, and all of those without; and one retrieval to compare', async () => {
    const rollout = rolloutOf(
      retrieve([hit(A), hit(B)]),
      block('important', '2'),
      retrieve([hit(C)]),
    );
    const { read, frozen } = await asked(rollout, 'selected');
    expect(frozen.map(({ from }) => from)).toEqual(['selected', 'question']);
    const own = read.find((text) => text.includes('Gamma'));
    expect(own).toContain('Beta');
    expect(own).not.toContain('Alpha');
  });
});
