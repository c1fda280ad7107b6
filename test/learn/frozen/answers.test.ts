import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { askFrozen } from '../../../src/learn/frozen/answers.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { FormBlock } from '../../../src/records/form-line.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout, hit, passage, retrieve } from '../../fixtures/rollouts.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

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
  const agent = { policy, retriever: retrieverOver(), router: createRouter(), now: () => 0 };
  await askFrozen(agent, question, [rollout], { from, k: 1 });
  return { read, frozen: rollout.frozen ?? [] };
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
