import { type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { capital, gainInWords } from '../reading/rounds.ts';
import { markdownBlock, markdownText } from './escape.ts';
import { findingText, headOf, numberText, whyNotScored, type Report } from './report.ts';
import { itemAt } from '../../../base/items.ts';

/** One rollout as Markdown: figures, rounds with their whole text, scores, findings. */

function roundText({ rollout, rounds, findings }: Report): string {
  return rounds
    .map((round) => {
      const parts = round.segments.map((index) => {
        const { role, source, text } = itemAt(rollout.segments, index, 'segments');
        const notes = findings
          .filter(({ where }) => where.some(({ segment }) => segment === index))
          .map((one) => `> ${markdownText(findingText(one))}\n`);
        return `**${role}**, ${source}\n\n${markdownBlock(text)}${notes.join('')}`;
      });
      const gain = round.gain ? `\n${markdownText(gainInWords(round.gain))}\n` : '';
      return `## ${capital(round.name)}\n\n${parts.join('\n')}${gain}`;
    })
    .join('\n');
}

function scoreTable(report: Report): string {
  const { scores } = report;
  const none = whyNotScored(report);
  if (none !== null) return `${markdownText(none)}\n`;
  const lines = scores.map(({ name, total, clauses, lacks }) => {
    const terms = clauses.map(({ clause, value }) => `${clause} ${numberText(value)}`);
    const cells = [name, numberText(total), terms.join(', '), lacks.join('; ')];
    return `| ${cells.map(markdownText).join(' | ')} |\n`;
  });
  return `| scorer | total | clauses | lacks |\n| --- | ---: | --- | --- |\n${lines.join('')}`;
}

/** @returns the text of a Markdown file; nothing of the rollout is markup in it */
export function rolloutMarkdown(rollout: ImportedRollout): string {
  const { report, question, gold, answer, figures, notes } = headOf(rollout);
  return [
    `# ${markdownText(question)}\n`,
    `Gold: ${markdownText(gold)}\n`,
    `Answer: ${markdownText(answer)}\n`,
    `${markdownText(figures.map((pair) => pair.join(' ')).join(' · '))}\n`,
    `Rollout ${markdownText(rollout.id)}, of ${markdownText(rollout.runId)}\n`,
    ...notes.map((one) => `> ${markdownText(one)}\n`),
    roundText(report),
    `## Scores\n\n${scoreTable(report)}`,
  ].join('\n');
}
