import { runGroup } from '../../agent/run.ts';
import { askedWith } from '../../agent/settings.ts';
import { outsideScores } from '../../agent/answers/outside.ts';
import { unknownNames } from '../../agent/answers/look-up-names.ts';
import { describeUnknown, sourcesInUse } from '../../agent/answers/unknown-names.ts';
import { outsideAnswer, outsideText } from '../../records/outside-answer.ts';
import { searchNumbers } from '../../records/searches.ts';
import type { AgentEvent } from '../../records/events.ts';
import { getRecipe } from '../../systems/index.ts';
import { withOverrides, type RecipeSettings } from '../../recipes/parts/settings.ts';
import { checkSummaries, openSummarizerOf } from '../parts/summarizer.ts';
import { openParts, type Parts } from '../shared/parts.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import {
  ADAPTER_OPTIONS,
  overridesOf,
  partsOptions,
  PARTS_OPTIONS,
  RECIPE_OPTIONS,
} from '../shared/shared-options.ts';

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/**
 * One event as a line of text, with the figures that the page keeps in the opened card.
 *
 * @param search number of the search that it belongs to (`searchNumbers`)
 */
export function describeEvent(event: AgentEvent, search: number | null): string {
  switch (event.kind) {
    case 'background':
      return `background   ${event.hits.map((hit) => hit.passage.title).join(' · ') || 'nothing found'}`;
    case 'think':
      return `think        ${oneLine(event.text)}`;
    case 'block': {
      const reply = event.reply === undefined ? '' : ` → ${oneLine(event.reply)}`;
      return `${event.block.padEnd(13)}${oneLine(event.text)}${reply}`;
    }
    case 'aside': {
      const outcome = event.outcome === undefined ? '' : ` → ${event.outcome}`;
      return `${event.of.padEnd(13)}${oneLine(event.text)}${outcome}`;
    }
    case 'search':
      return `query        ${oneLine(event.query)}`;
    case 'route': {
      const { local, web } = event.probabilities;
      const by = event.routing === 'argmax' ? `${event.by}, the likelier` : event.by;
      const name = event.of === undefined ? `search ${search ?? ''}` : event.of;
      return `${name.padEnd(13)}${event.choice} (local ${percent(local)}, web ${percent(web)}, ${by})`;
    }
    case 'retrieve':
      return `retrieve     ${event.hits.map((hit) => `${hit.passage.title} [${hit.source}]`).join(' · ') || 'nothing found'}  ${event.latencyMs.toFixed(0)} ms`;
    case 'summarize':
      return `summarize    ${oneLine(event.text)}`;
    case 'candidate':
      return `candidates   ${event.candidates.map((c) => `${oneLine(c.text)} (${c.confidence.toFixed(2)})`).join(' · ')}`;
    case 'verdict':
      return `STIE         ${event.over} '${oneLine(event.text)}' ${event.action}: ${event.reason}`;
    case 'answer':
      return `answer       ${oneLine(event.text)}`;
    case 'stop':
      return `stop         ${event.reason}${event.detail ? `: ${event.detail}` : ''}`;
    case 'error':
      return `error        ${event.what}: ${event.message}`;
  }
}

/** The notice about names that no passage mentions. Where they cannot be looked up, the rollout does not fail. */
async function noteOnNames(
  question: string,
  { mentions }: Parts,
  settings: RecipeSettings,
  fictional: boolean,
): Promise<string[]> {
  const sources = sourcesInUse(settings).map((source) => mentions[source]);
  const names = await unknownNames(question, sources).catch(() => []);
  return names.length > 0 ? [`note         ${describeUnknown(names, fictional)}`] : [];
}

export const askCommand: Command = {
  name: 'ask',
  summary: 'answers one question and prints each step',
  positional: { name: '"QUESTION"', required: true },
  options: {
    ...RECIPE_OPTIONS,
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 0, min: 0 },
    ...PARTS_OPTIONS,
    ...ADAPTER_OPTIONS,
    json: { type: 'boolean', help: 'print the rollout as one JSON object and nothing else' },
  },
  async run(values, positionals, lists) {
    const text = positionals.join(' ');
    const recipe = getRecipe(String(values.recipe));
    const overrides = overridesOf(values, lists);
    const settings = withOverrides(recipe.settings, overrides);
    const summarizer = await openSummarizerOf(values);
    checkSummaries(recipe, settings, summarizer);
    const options = partsOptions(values, lists);
    const parts = await openParts({ ...options, summarizer });
    endProgress();
    // A question of the world brings its gold answer along.
    const known = parts.world.questions.find((q) => q.text === text);
    const told: AgentEvent[] = [];
    // The answer, and what follows it: the note comes before it.
    const held: string[] = [];
    try {
      // A group of one, so that a seed gives the same rollout here and on the page.
      const [rollout] = await runGroup(
        parts.deps,
        {
          question: known ?? { id: 'typed', text, answers: [], supporting: [] },
          recipe,
          overrides: askedWith(parts.deps.policy.info, overrides),
          seed: Number(values.seed),
          size: 1,
          runId: 'ask',
          groupId: 'ask',
          step: 0,
        },
        (update) => {
          if (values.json || update.type !== 'event' || update.index < told.length) return;
          told.push(update.event);
          const line = describeEvent(update.event, searchNumbers(told).at(-1) ?? null);
          if (held.length > 0 || update.event.kind === 'answer') held.push(line);
          else print(line);
        },
      );
      // After the searches, so that none of them finds fetched what it would have paid for.
      const note = await noteOnNames(text, parts, settings, !options.corpus);
      note.forEach(values.json ? say : print);
      held.forEach(print);
      const outside = rollout && outsideAnswer(rollout);
      if (rollout && outside && !values.json) {
        const scores = outsideScores(rollout);
        const scored = scores ? ` (EM ${percent(scores.em)}, F1 ${percent(scores.f1)})` : '';
        print(`${outsideText(outside)}${scored}`);
      }
      if (values.json) print(JSON.stringify(rollout));
    } finally {
      parts.dispose();
    }
  },
};
