import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { formatShare } from '../../src/ui/kit/words/format.ts';
import { faultsOf } from '../axe.ts';
import { useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';
import { expectSame, figure, labRollouts, matched } from '../rollouts-page.ts';

const stage = useStage();
const LONG = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'forage-rollouts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOLDS = ['Ida Holm', 'Oslo', 'Ada Berg'];

/** A verl dump: 2 steps of 30 questions with 4 rollouts each; line 5 is broken. */
const lines = [1, 2].flatMap((step) =>
  Array.from({ length: 30 }, (_, q) =>
    Array.from({ length: 4 }, (_, i) => {
      const gold = GOLDS[q % 3]!;
      const right = (q + i) % 3 === 0;
      const result =
        i % 2 === 0 ? `Doc 1(Title: T${q}) It was ${gold}.` : `Doc 1(Title: T${q}) Rain.`;
      const searches = Array.from(
        { length: i },
        (_, n) => `<search> about ${q} ${n} </search>\n<information>${result}\n</information>\n`,
      ).join('');
      return JSON.stringify({
        input: `Question: What is thing number ${q}?\n`,
        output: `<think>I am ${i === 3 ? 'not sure' : 'certain'}.</think>\n${searches}<answer> ${right ? gold : 'Fog'} </answer>`,
        gts: { target: [gold] },
        score: right ? 1 : 0,
        step,
      });
    }),
  ).flat(),
);
lines.splice(4, 0, '{"input": "cut of');
const dump = join(folder, 'dump.jsonl');
writeFileSync(dump, `${lines.join('\n')}\n`);

it(
  'a dropped file is counted as `lab rollouts` counts it; filter, order, marks and views hold',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}rollouts`);
    await page.waitForSelector('main h1');
    await drop(page, { 'dump.jsonl': readFileSync(dump, 'utf8') });
    await page.waitForSelector('[data-testid="file-figures"]');
    expect(await page.locator('.file-figures > div').count()).toBe(5);
    const found = await labRollouts(dump);
    await expectSame(page, found);
    await matched(page, '240 rollouts');

    // The broken line is named, the rest is here.
    await page.getByRole('button', { name: 'Unreadable lines 1' }).click();
    await page.getByRole('rowheader', { name: 'line 5' }).waitFor();
    await page.goBack();

    // A number opens exactly its cases.
    await page.locator('[data-figure="wrong-though-retrieved"] .figure-button').click();
    const { em } = found.statistics.evidence.wrongThoughRetrieved;
    await matched(page, `${em} of 240`);
    // The tiles are those of what passes, beside the file's, in one row.
    await expect.poll(() => figure(page, 'em')).toMatch(/^0\.0 % 0/);
    const tile = await page.locator('[data-figure="em"]').innerText();
    expect(tile).toContain(`all: ${formatShare(found.statistics.em.share)}`);
    const tops = await page
      .locator('.file-figures > div')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(tops.length).toBeGreaterThanOrEqual(12);
    expect(new Set(tops).size).toBe(1);
    const cut = await page
      .getByTestId('file-figures')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
    await page.goBack();
    await matched(page, '240 rollouts');
    // The mark beside a head is pressed, and not the grip of the column's width.
    const mark = page.locator('th').getByRole('button', { name: 'What EM means' }).first();
    const dialogs = () => page.getByRole('dialog').count();
    // Scrolling closes an explanation, also a scroll on the way to the mark that is told late.
    const opens = async (): Promise<number> => {
      if ((await dialogs()) === 0) await mark.click();
      return dialogs();
    };
    await expect.poll(opens).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(dialogs).toBe(0);

    // What the file does not know is said, with its reason, and is not a zero.
    await page.getByRole('combobox', { name: 'Filter' }).fill('em = 0 and recall = 1');
    await page.keyboard.press('Enter');
    await matched(page, '0 of 240');
    const note = page.locator('.unknown-note');
    expect(await note.innerText()).toMatch(
      /^recall is unknown for 240 of 240 rollouts: the record does not name the supporting titles/,
    );
    expect(await page.locator('[data-chart="outcomes"]').innerText()).toContain(
      'No rollout passes the filter.',
    );
    await note.getByRole('button', { name: 'show them' }).click();
    await matched(page, '240 of 240');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await matched(page, '240 rollouts');

    // Completion, a fault at its place, and text of segments.
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.pressSequentially('thi');
    await page.keyboard.press('ArrowDown');
    // Whoever types fast writes on before the next frame is drawn.
    await filter.evaluate((field) => {
      const tab = { key: 'Tab', bubbles: true, cancelable: true };
      if (field.dispatchEvent(new KeyboardEvent('keydown', tab))) throw new Error('Tab leaves');
      document.execCommand('insertText', false, 'con');
    });
    await filter.pressSequentially('tains');
    expect(await filter.inputValue()).toBe('think contains');
    // What is only unfinished is no fault while it is written.
    await page.locator('.filter-said:not(.tone-bad)', { hasText: /^… then / }).waitFor();
    expect(await filter.getAttribute('aria-invalid')).toBe('false');
    await filter.pressSequentially(' =');
    await page.waitForSelector('.filter-mirror u');
    expect(await page.locator('.filter-said').innerText()).toMatch(/^at character \d+: expected/);
    await filter.fill('think contains "not sure" and step = 2');
    await page.keyboard.press('Enter');
    await matched(page, '30 of 240');

    // What was written is one place to come back from.
    await page.goBack();
    await matched(page, '240 rollouts');
    await page.goForward();
    await matched(page, '30 of 240');

    // Columns by keys: one wider, one put away, and both kept.
    const grip = page.getByRole('separator', { name: 'Width of answer' });
    const wide = Number(await grip.getAttribute('aria-valuenow'));
    await grip.press('ArrowRight');
    expect(Number(await grip.getAttribute('aria-valuenow'))).toBe(wide + 16);
    const heads = async () =>
      (await page.locator('th button.head').allInnerTexts()).map((it) => it.replace(/ [↓↑]$/, ''));
    const before = await heads();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Move answer right' }).click();
    await page.getByRole('checkbox', { name: 'F1', exact: true }).click();
    await page.keyboard.press('Escape');
    const [question, answer, next, ...rest] = before.filter((name) => name !== 'F1');
    expect(await heads()).toEqual([question, next, answer, ...rest]);

    // The order, kept by the address, and the columns with it.
    await page.getByRole('button', { name: 'searches', exact: true }).click();
    await page.waitForURL(/sort=-searches/);
    await page.reload();
    await matched(page, '30 of 240');
    await page.locator('th[aria-sort="descending"]', { hasText: 'searches' }).waitFor();
    // The head is a row of the table, and only rows in view are drawn.
    expect(await page.locator('.rollouts-table').getAttribute('aria-rowcount')).toBe('31');
    expect(await grip.getAttribute('aria-valuenow')).toBe(String(wide + 16));
    expect(await heads()).toEqual([question, next, answer, ...rest]);

    // A view under a name, then away and back.
    await page.getByLabel('Group the table (g)').selectOption({ label: 'by step' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('unsure');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'unsure', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await visit(page, stage, new URL(page.url()).pathname.slice(1));
    await matched(page, '240 rollouts');
    expect(await grip.getAttribute('aria-valuenow')).toBe(String(wide + 16));
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'unsure', exact: true }).press('Enter');
    await matched(page, '30 of 240');
    await page.locator('.group-head', { hasText: 'step 2' }).waitFor();
    expect(await heads()).toEqual([question, next, answer, ...rest]);

    // Keys: a bookmark, tags, and the reader.
    await page.locator('main').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('b');
    await page.locator('.star.on').first().waitFor();
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tags' }).fill('odd');
    await page.keyboard.press('Enter');
    await page.locator('tr.chosen', { hasText: 'odd' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/rollouts\/[^/]+\/dump\.jsonl%3A/);
    await page.goBack();
    await filter.fill('tags has odd');
    await page.keyboard.press('Enter');
    await matched(page, '1 of 240');
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'groups, exports, deletes with undo',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'rollouts');
    await page.getByRole('link', { name: 'dump.jsonl' }).click();
    await matched(page, '240 rollouts');
    await page.locator('main').focus();
    await page.keyboard.press('g');
    await page.waitForURL(/group=question/);
    await page.getByRole('button', { name: 'close or open all' }).click();
    await page.waitForFunction(() => !document.querySelector('tr[data-position]'));
    await page
      .getByRole('button', { name: /What is thing number 7/ })
      .first()
      .click();
    await page.waitForFunction(() => document.querySelectorAll('tr[data-position]').length === 8);

    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('em = 1 and searches = 3');
    await page.keyboard.press('Enter');
    await matched(page, '20 of 240');
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const rows = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(rows).toHaveLength(21);
    expect(rows[0]).toMatch(/^question,answer,gold,step,em/);
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'How they ended, by EM: save as SVG' }).click(),
    ]);
    const svg = readFileSync(await picture.path(), 'utf8');
    expect(svg).toContain('right without retrieval');
    // Right by what: the picture leaves the page that says it.
    expect(svg).toContain('How they ended, by EM');
    expect(svg).not.toContain('var(--');
    const [bitmap] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'How they ended, by EM: save as PNG' }).click(),
    ]);
    const png = readFileSync(await bitmap.path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Twice the pixels of the drawing.
    expect(png.readUInt32BE(16)).toBe(2 * Number(/<svg[^>]* width="(\d+)/.exec(svg)![1]));

    await visit(page, stage, 'rollouts');
    await page.getByRole('button', { name: 'Delete dump.jsonl' }).click();
    await page.getByRole('link', { name: 'dump.jsonl' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'dump.jsonl' }).waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'a file of something else says what was expected; it, and one that is stopped, leave nothing',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'rollouts');
    const other = join(folder, 'notes.txt');
    writeFileSync(other, 'Dear diary\n');
    await page.getByLabel('Rollout files').setInputFiles(other);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(
      /notes\.txt holds no rollouts.*Expected are JSON lines/s,
    );
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.getByRole('link', { name: 'notes.txt' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Dismiss' }).click();

    // One that is stopped leaves nothing either.
    const long = join(folder, 'long.jsonl');
    const block = `${lines.filter((_, i) => i !== 4).join('\n')}\n`;
    writeFileSync(long, block.repeat(150));
    await page.getByLabel('Rollout files').setInputFiles(long);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.import-line').waitFor({ state: 'detached' });
    await page.goto(`${stage.url}rollouts`);
    await page.getByRole('link', { name: 'dump.jsonl' }).waitFor();
    expect(await page.getByRole('link', { name: 'long.jsonl' }).count()).toBe(0);
  },
  LONG,
);

/** One rollout per question; the answers that are not named are right. */
const small = (name: string, count: number, answers: Record<number, string>): string => {
  const path = join(folder, name);
  const record = (_: unknown, q: number): string =>
    JSON.stringify({
      input: `Question: Who wrote book ${q}?\n`,
      output: `<answer> ${answers[q] ?? 'Ida Holm'} </answer>`,
      gts: { target: ['Ida Holm'] },
      score: 0,
      step: 1,
    });
  writeFileSync(path, Array.from({ length: count }, record).join('\n'));
  return path;
};

it(
  'what scorers disagree on is listed; two files on the same questions are compared, traces a press away',
  async () => {
    const { page } = stage;
    const a = small('a.jsonl', 8, { 0: 'Fog', 1: 'Fog', 2: 'Ida Holm of Denmark', 3: 'Fog' });
    const b = small('b.jsonl', 7, { 1: 'Fog', 2: 'Fog', 4: 'Fog' });
    await visit(page, stage, 'rollouts');
    await page.getByLabel('Rollout files').setInputFiles([a, b]);
    await page.getByRole('link', { name: 'b.jsonl' }).waitFor();
    await page.getByRole('link', { name: 'a.jsonl' }).click();
    await page.getByRole('button', { name: 'Disagreements' }).click();
    await page.getByText('1 rollout to look at').waitFor();
    await page
      .getByRole('row', { name: /book 2.*Ida Holm of Denmark.*cover-EM.*Exact match/ })
      .waitFor();
    await page.getByLabel('First scorer').selectOption({ label: 'Exact match (SQuAD)' });
    await page.getByLabel('Second scorer').selectOption({ label: 'F1 (SQuAD)' });
    await page.getByText('1 rollout to look at').waitFor();

    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByLabel('File to compare with').selectOption({ label: 'b.jsonl' });
    await page.getByText('7 questions in both').waitFor();
    expect(await page.locator('.browse-body').innerText()).toContain('1 only in A');
    for (const name of ['flipped 3', 'gained 2', 'lost 1', 'same 4'])
      await page.getByRole('button', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'lost 1' }).click();
    const lost = page.getByRole('row', { name: /book 4/ });
    expect(await lost.getByRole('link', { name: 'trace' }).count()).toBe(2);
    await lost.getByRole('link', { name: 'trace' }).nth(1).click();
    await page.waitForURL(/b\.jsonl%3A5/);
    await page.getByText('Fog').first().waitFor();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

it(
  'axe finds no fault, light and dark, wide and narrow, and nothing is wider than the screen',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'rollouts');
    await page.getByRole('link', { name: 'dump.jsonl' }).click();
    await matched(page, '240 rollouts');
    // A few rows say as much as many, and take axe less long.
    await page.getByRole('combobox', { name: 'Filter' }).fill('question contains "number 7"');
    await page.keyboard.press('Enter');
    await matched(page, '8 of 240');
    await page.waitForSelector('[data-chart="outcomes"] svg');
    await page.locator('tr[data-position]').first().click();
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(200);
      expect(await faultsOf(page)).toEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(width);
    }
    // The table is what one came for: a narrow screen shows it first, and the overview when asked to.
    const overview = page.getByRole('complementary', { name: 'Overview of the selection' });
    const topOf = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
    expect(await topOf('.rollouts-scroll')).toBeLessThan(await topOf('.browse-panel'));
    const asked = page.getByRole('button', { name: 'Overview', exact: true });
    await asked.click();
    await overview.waitFor({ state: 'detached' });
    expect(await topOf('.rollouts-scroll')).toBeLessThan(500);
    await asked.click();
    await overview.waitFor();
    await expect.poll(() => topOf('.browse-panel')).toBeLessThan(700);
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const name of ['Disagreements', 'Compare']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('.browse-body').waitFor();
      expect(await faultsOf(page, '.browse-body')).toEqual([]);
    }
  },
  LONG,
);
