import { escapeXml } from '../../base/xml-text.ts';
import { linesOf, type ArmLines, type Curve, type Line } from './curves.ts';

/** The curves as one SVG of two panels, with colours of its own for light and for dark. */

const LIGHT = [
  '#1f5fa8',
  '#c2571a',
  '#2f8560',
  '#8a4fa3',
  '#6b7682',
  '#b8860b',
  '#b13a5e',
  '#2b8ca3',
];
const DARK = [
  '#6aa9ea',
  '#e8905a',
  '#5fbd91',
  '#bd8ad6',
  '#9da7b2',
  '#d9b44a',
  '#e57f9d',
  '#5fbdd1',
];
/** More arms than colours differ in their dashes. */
const DASHES = ['', '7 3', '2 3'];

const [PANEL, HEIGHT, GAP, TOP, LEFT] = [380, 240, 70, 44, 56];
const ROW = 20;

const colours = (palette: readonly string[]): string =>
  palette.map((colour, i) => `.c${i}{stroke:${colour}}`).join('');

const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#1c2127}.small{font-size:12px;fill:#57606b}',
  '.ground{fill:#fff}.grid{stroke:#e3e6ea}.axis{stroke:#8b949e}',
  `path{fill:none;stroke-width:2.2;stroke-linejoin:round}.run{stroke-width:1;opacity:.4}${colours(LIGHT)}`,
  '@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.small{fill:#a7b0ba}',
  `.ground{fill:#15181c}.grid{stroke:#2b3037}.axis{stroke:#6b7682}${colours(DARK)}}`,
].join('');

/** About four round values that span the data. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const count = Math.max(1, last - first);
  return Array.from({ length: count + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

interface Panel {
  title: string;
  lines: readonly ArmLines[];
  /** As its axis shows a value. */
  show: (value: number) => string;
}

const fixed = (value: number): string => value.toFixed(1);

function panelSvg({ title, lines, show }: Panel, x: number): string {
  const points = lines.flatMap(({ runs, mean }) => [...runs.flat(), ...mean]);
  if (points.length === 0)
    return `<text x="${x}" y="${TOP - 16}">${escapeXml(title)}</text><text class="small" x="${x}" y="${TOP + 20}">no values</text>`;
  const [steps, values] = [points.map(([step]) => step), points.map(([, value]) => value)];
  const yTicks = ticksOf(Math.min(...values), Math.max(...values));
  const xTicks = ticksOf(Math.min(0, ...steps), Math.max(...steps)).filter(Number.isInteger);
  const [low, high] = [Math.min(...yTicks), Math.max(...yTicks)];
  const last = Math.max(...xTicks, 1);
  const px = (step: number): number => x + (PANEL * step) / last;
  const py = (value: number): number => TOP + HEIGHT - (HEIGHT * (value - low)) / (high - low);
  const path = (line: Line, place: number, kind: string): string => {
    const dash = DASHES[Math.floor(place / LIGHT.length) % DASHES.length] ?? '';
    const d = line.map(
      ([step, value], i) => `${i === 0 ? 'M' : 'L'}${fixed(px(step))} ${fixed(py(value))}`,
    );
    const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
    return `<path class="c${place % LIGHT.length}${kind}"${dashed} d="${d.join('')}"/>`;
  };
  return [
    `<text x="${x}" y="${TOP - 16}">${escapeXml(title)}</text>`,
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${x}" x2="${x + PANEL}" y1="${fixed(py(tick))}" y2="${fixed(py(tick))}"/>`,
      `<text class="small" text-anchor="end" x="${x - 8}" y="${fixed(py(tick) + 4)}">${show(tick)}</text>`,
    ]),
    `<line class="axis" x1="${x}" x2="${x + PANEL}" y1="${TOP + HEIGHT}" y2="${TOP + HEIGHT}"/>`,
    ...xTicks.map(
      (tick) =>
        `<text class="small" text-anchor="middle" x="${fixed(px(tick))}" y="${TOP + HEIGHT + 18}">${tick}</text>`,
    ),
    `<text class="small" text-anchor="end" x="${x + PANEL}" y="${TOP + HEIGHT + 36}">step</text>`,
    ...lines.flatMap(({ runs }, i) =>
      runs.length > 1 ? runs.map((run) => path(run, i, ' run')) : [],
    ),
    ...lines.map(({ mean }, i) => path(mean, i, '')),
  ].join('\n');
}

/**
 * Held-out exact match and training reward by step: a thick line for the mean over the runs of an arm,
 * a thin one for each run.
 */
export function curvesSvg(name: string, curves: readonly Curve[]): string {
  const heldOut = linesOf(curves, (point) => point.heldOut?.em ?? null);
  const reward = linesOf(curves, (point) => point.reward);
  const width = LEFT + PANEL + GAP + PANEL + 24;
  const legend = TOP + HEIGHT + 62;
  const height = legend + ROW * heldOut.length + 4;
  const percent = (value: number): string => String(Number((100 * value).toFixed(6)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(`${name}: held-out exact match and reward by step`)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    panelSvg({ title: 'EM on held-out dev questions, %', lines: heldOut, show: percent }, LEFT),
    panelSvg(
      {
        title: 'mean reward of the step’s rollouts, each arm by its own',
        lines: reward,
        show: String,
      },
      LEFT + PANEL + GAP,
    ),
    ...heldOut.map(({ arm, runs }, i) => {
      const y = legend + ROW * i;
      const dash = DASHES[Math.floor(i / LIGHT.length) % DASHES.length] ?? '';
      const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
      const count = runs.length === 1 ? '1 run' : `mean of ${runs.length} runs`;
      return (
        `<path class="c${i % LIGHT.length}"${dashed} d="M${LEFT} ${y}h28"/>` +
        `<text x="${LEFT + 38}" y="${y + 4}">${escapeXml(arm)} <tspan class="small">${count}</tspan></text>`
      );
    }),
    '</svg>\n',
  ].join('\n');
}
