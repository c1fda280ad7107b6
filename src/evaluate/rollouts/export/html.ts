import { type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { LINTS } from '../lint/finding.ts';
import { capital, gainInWords, type PassageReading, type RoundReading } from '../reading/rounds.ts';
import { cutByMarks, type Stretch } from '../reading/spans.ts';
import { TOKEN_COLUMNS, tokenTable, type TokenColumn } from '../reading/token-table.ts';
import { htmlText } from './escape.ts';
import { findingText, headOf, numberText, whyNotScored, type Report } from './report.ts';
import { itemAt } from '../../../base/items.ts';

/**
 * One rollout as one HTML file that needs nothing else: no script, no font, no address. A policy in its
 * head forbids them too, so that a fault of the escaping could do nothing.
 */

/** Tokens that are written one by one; the text of all is in the rounds. */
const MOST_SPANS = 20_000;

interface Mark extends Stretch {
  tag: 'mark' | 'u' | 'span';
  title: string;
}

const element = (tag: string, name: string, body: string, title = ''): string =>
  `<${tag}${name === '' ? '' : ` class="${name}"`}${title === '' ? '' : ` title="${htmlText(title)}"`}>${body}</${tag}>`;

function marked(text: string, from: number, to: number, marks: readonly Mark[]): string {
  return cutByMarks(from, to, marks)
    .map((piece) =>
      piece.marks.reduce(
        (body, { tag, title }) => element(tag, tag === 'span' ? 'supports' : '', body, title),
        htmlText(text.slice(piece.start, piece.end)),
      ),
    )
    .join('');
}

function faultMarks({ findings }: Report, segment: number): Mark[] {
  return findings.flatMap(({ code, where }) =>
    where
      .filter((span) => span.segment === segment)
      .map(({ start, end }): Mark => ({ start, end, tag: 'u', title: LINTS[code].title })),
  );
}

function passageHtml(passage: PassageReading, text: string, faults: readonly Mark[]): string {
  const marks: Mark[] = [
    ...faults,
    ...passage.sentences.map((s): Mark => ({ ...s, tag: 'span', title: 'evidence' })),
    ...passage.answers.map((s): Mark => ({ ...s, tag: 'mark', title: 'gold answer' })),
  ];
  const badges = [
    passage.supporting ? element('span', 'badge', 'gold title') : '',
    passage.seenIn === null ? '' : element('span', 'badge', `seen in ${passage.seenAt ?? ''}`),
  ];
  const title = passage.title === '' ? '' : element('b', '', htmlText(passage.title));
  const body = marked(text, passage.bodyAt, passage.end, marks);
  return element('li', '', `${title} ${badges.join(' ')}${element('p', 'text', body)}`);
}

function segmentHtml(report: Report, round: RoundReading, index: number): string {
  const { source, role, text } = itemAt(report.rollout.segments, index, 'segments');
  const faults = faultMarks(report, index);
  const passages = round.passages.filter(({ segment }) => segment === index);
  const body =
    passages.length > 0
      ? element('ol', '', passages.map((one) => passageHtml(one, text, faults)).join(''))
      : element('p', 'text', marked(text, 0, text.length, faults));
  const notes = report.findings
    .filter(({ where }) => where.some(({ segment }) => segment === index))
    .map((one) => element('p', 'note', `⚠ ${htmlText(findingText(one))}`));
  return element(
    'section',
    `segment ${source}`,
    `${element('h3', '', `${role} <small>${source}</small>`)}${body}${notes.join('')}`,
  );
}

function roundHtml(report: Report, round: RoundReading): string {
  const parts = round.segments.map((index) => segmentHtml(report, round, index));
  const gain = round.gain ? element('p', 'fine', htmlText(gainInWords(round.gain))) : '';
  return `<details open><summary>${capital(round.name)}</summary>${parts.join('')}${gain}</details>`;
}

function scoresHtml(report: Report): string {
  const { scores } = report;
  const none = whyNotScored(report);
  if (none !== null) return element('p', '', htmlText(none));
  const rows = scores.map(({ name, total, clauses, lacks }) => {
    const terms = clauses.map(({ clause, value }) => `${clause} ${numberText(value)}`).join(', ');
    const cells = [
      element('td', '', htmlText(name)),
      element('td', 'number', numberText(total)),
      element('td', '', htmlText(terms)),
      element('td', 'fine', htmlText(lacks.join('; '))),
    ];
    return element('tr', '', cells.join(''));
  });
  const head =
    '<tr><th>Scorer</th><th>Total</th><th>Clauses</th><th>Could not be computed</th></tr>';
  return `<table>${head}${rows.join('')}</table>`;
}

function tokensHtml({ rollout }: Report): string {
  const table = tokenTable(rollout);
  const names = Object.keys(table.columns) as TokenColumn[];
  const shown = Math.min(table.count, MOST_SPANS);
  const spans: string[] = [];
  for (let i = 0; i < shown; i++) {
    const { source, role } = itemAt(rollout.segments, itemAt(table.segment, i), 'segments');
    const numbers = names.flatMap((name) => {
      const value = table.columns[name]?.[i];
      return value === undefined || Number.isNaN(value)
        ? []
        : [`${TOKEN_COLUMNS[name].name} ${numberText(value)}`];
    });
    const mask = table.mask[i] === 1 ? ['trained'] : table.mask[i] === 0 ? ['mask 0'] : [];
    const tokenId = itemAt(table.ids, i);
    const id = tokenId >= 0 ? [`id ${tokenId}`] : [];
    const title = [`${i}: ${source}, ${role}`, ...id, ...mask, ...numbers].join(' · ');
    const text = table.texts[i] ?? `#${tokenId} `;
    spans.push(
      element('span', `t ${source}${table.mask[i] === 0 ? ' m0' : ''}`, htmlText(text), title),
    );
  }
  const kind =
    table.kind === 'pieces'
      ? 'The file has no tokens: these are pieces between white space.'
      : `${table.count} tokens; point at one for its numbers.`;
  const rest = shown < table.count ? ` The first ${shown} of ${table.count} are written here.` : '';
  return `${element('p', 'fine', `${kind}${rest}`)}<div class="tokens">${spans.join('')}</div>`;
}

/** The style sheet of an exported rollout: light and dark, from system fonts. */
const HTML_STYLE = `
:root{color-scheme:light dark;--bg:#f4f6f8;--panel:#fff;--line:#dfe3e8;--text:#171b20;--dim:#57606b;--bad:#a82018;--bad-tint:#fbe7e5;--prompt:#eceff2;--policy:#e4eef9;--environment:#e2f2e9;--mark:#ffe08a}
@media (prefers-color-scheme:dark){:root{--bg:#121518;--panel:#191d21;--line:#2b3138;--text:#e7eaed;--dim:#9da7b2;--bad:#f59a92;--bad-tint:#43211f;--prompt:#262b31;--policy:#1b2c40;--environment:#193226;--mark:#6b5510}}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{margin:0 0 .5rem;font-size:1.35rem;overflow-wrap:anywhere;unicode-bidi:isolate}
h2{margin:2rem 0 .5rem;font-size:1.1rem}
h3{margin:0 0 .25rem;font-size:.85rem}
p{margin:.25rem 0}
small,.fine{color:var(--dim);font-size:.8rem;font-weight:400}
b,.text,td{overflow-wrap:anywhere;unicode-bidi:isolate}
.figures{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
details{margin:.5rem 0;border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;background:var(--panel)}
summary{cursor:pointer;font-weight:600}
.segment{margin:.5rem 0;border-left:4px solid var(--line);padding:.25rem .75rem}
.segment.policy{background:var(--policy)}
.segment.environment{background:var(--environment)}
.segment.prompt{background:var(--prompt)}
.text{white-space:pre-wrap}
.badge{border:1px solid var(--line);border-radius:9px;padding:0 6px;background:var(--panel);font-size:.75rem}
.supports{border-bottom:2px solid #3f9a70}
mark{background:var(--mark);color:inherit}
u{text-decoration:underline wavy var(--bad);text-decoration-skip-ink:none}
.note{border-radius:4px;padding:.25rem .5rem;background:var(--bad-tint);color:var(--bad)}
ol{margin:.25rem 0;padding-left:1.5rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums}
.tokens{border:1px solid var(--line);border-radius:6px;padding:.5rem;background:var(--panel);font:12px/1.9 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.t{border-radius:2px;unicode-bidi:isolate;box-shadow:inset 0 0 0 1px var(--line)}
.t.policy{background:var(--policy)}
.t.environment{background:var(--environment)}
.t.prompt{background:var(--prompt)}
.t.m0{opacity:.8;text-decoration:underline dotted}
`;

/** @returns the text of an HTML file; nothing of the rollout is markup in it */
export function rolloutHtml(rollout: ImportedRollout): string {
  const { report, question, gold, answer, figures, notes } = headOf(rollout);
  const title = htmlText(question.slice(0, 120));
  const line = figures.map(
    ([name, value]) => `<span><small>${name}</small> <b>${htmlText(value)}</b></span>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
<main>
<header>
<h1>${htmlText(question)}</h1>
<p>Gold <b>${htmlText(gold)}</b></p>
<p>Answer <b>${htmlText(answer)}</b></p>
<p class="figures">${line.join('')}</p>
<p class="fine">Rollout ${htmlText(rollout.id)} of ${htmlText(rollout.runId)}, written by Forage</p>
${notes.map((one) => element('p', 'note', `⚠ ${htmlText(one)}`)).join('')}
</header>
<h2>Rounds</h2>
${report.rounds.map((round) => roundHtml(report, round)).join('\n')}
<h2>Scores</h2>
<div class="wide">${scoresHtml(report)}</div>
<h2>Tokens</h2>
${tokensHtml(report)}
</main>
</body>
</html>
`;
}
