import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildWorld } from '../../src/cli/shared/build-world.ts';
import { worldManifestSchema, worldQuestionSchema } from '../../src/retrieval/world/manifest.ts';
import type { Passage } from '../../src/records/records.ts';
import { KeyedRandom } from '../../src/base/random.ts';
import { groupBy } from '../../src/base/items.ts';
import { DOUBTS } from '../../src/world/pages/noise.ts';
import { FORM_NAMES, drawForm } from '../../src/world/questions/forms.ts';
import {
  drawQuestion,
  generateMiniWorld,
  generateWorld,
  openScope,
  SHIPPED_SEED,
} from '../../src/world/world.ts';
import { named } from './reader.ts';

const SIZE = {
  person: 220,
  film: 120,
  book: 90,
  city: 60,
  country: 16,
  company: 60,
  river: 24,
  award: 34,
  university: 34,
  band: 40,
};
const world = generateWorld({ seed: 5, size: SIZE });
const all = [...world.local, ...world.web];
/** Everything that a folder would hold. */
const contents = (w: typeof world) => [w.local, w.web, w.questions];

describe('the world that ships', () => {
  it('is byte for byte what the generator makes', async () => {
    const folder = 'public/world';
    const { files } = worldManifestSchema.parse(
      JSON.parse(readFileSync(`${folder}/manifest.json`, 'utf8')),
    );
    const made = new Map<string, string>();
    const write = (name: string, bytes: Uint8Array) => {
      made.set(name, createHash('sha256').update(bytes).digest('hex'));
      return Promise.resolve();
    };
    await buildWorld({ seed: SHIPPED_SEED }, write, null);
    const shipped = Object.entries(files).filter(([name]) => name !== 'vectors.f16');
    expect(shipped.length).toBeGreaterThan(100);
    for (const [name, { sha256 }] of shipped)
      expect([name, made.get(name)]).toEqual([name, sha256]);
    expect([...made.keys()].toSorted()).toEqual(
      [...shipped.map(([name]) => name), 'manifest.json'].toSorted(),
    );
  });
});

describe('a web that holds the local corpus', () => {
  const wide = generateWorld({ seed: 5, size: SIZE, web: 'superset' });
  const current = ({ noise }: Passage): boolean => noise === undefined;

  it('has the page of every local passage, and the passages of the other kind of web', () => {
    const titles = new Set(wide.web.filter(current).map(({ title }) => title));
    for (const { title } of [...world.web, ...world.local].filter(current))
      expect(titles).toContain(title);
    expect(wide.web.slice(0, world.web.length)).toEqual(world.web);
    // It is no superset otherwise.
    const apart = new Set(world.web.map(({ title }) => title));
    expect(world.local.filter(current).some(({ title }) => !apart.has(title))).toBe(true);
  });

  it('asks the same questions over the same local corpus; what only it had is on both sides now', () => {
    expect(wide.local).toEqual(world.local);
    const asked = ({ questions }: typeof world) =>
      Object.values(questions).flatMap((of) =>
        of.map(({ text, answers, supporting, localSuffices }) => [
          text,
          answers,
          supporting,
          localSuffices,
        ]),
      );
    expect(asked(wide)).toEqual(asked(world));
    const sources = Object.values(wide.questions).flatMap((of) =>
      of.flatMap(({ chain = [] }) => chain.map(({ source }) => source)),
    );
    expect(new Set(sources)).toEqual(new Set(['both', 'web']));
  });
});

describe('a generated world', () => {
  it('depends on its seed and its size, and on nothing else', () => {
    expect(contents(generateWorld({ seed: 5, size: SIZE }))).toEqual(contents(world));
    const other = generateWorld({ seed: 6, size: SIZE });
    expect(other.local[0]).not.toEqual(world.local[0]);
    expect(other.questions.test.length).toBeGreaterThan(0);
  });

  it('says its seed in the manifest, and its questions are read as they were made', async () => {
    const files = new Map<string, Uint8Array>();
    const write = (name: string, bytes: Uint8Array) => {
      files.set(name, bytes);
      return Promise.resolve();
    };
    const json = (name: string): unknown => JSON.parse(new TextDecoder().decode(files.get(name)));
    const manifest = await buildWorld({ seed: 5 }, write, null);
    expect(worldManifestSchema.parse(json('manifest.json'))).toEqual(manifest);
    expect(manifest).toMatchObject({ seed: 5 });
    const { questions } = generateWorld({ seed: 5 });
    const read = worldQuestionSchema.array().parse(json('questions.json'));
    expect(read).toEqual(
      (['train', 'dev', 'test'] as const).flatMap((split) =>
        questions[split].map((q) => ({ ...q, split })),
      ),
    );
  });

  it('draws for each page where it lies: pages of one entity lie in different corpora', () => {
    const pages = world.pages.filter((p) => p.about && p.sort !== 'alias');
    const places = new Set(pages.map((p) => p.where));
    expect(places).toEqual(new Set(['local', 'web', 'both', 'stale']));
    const byEntity = [...groupBy(pages, (p) => p.about)].map(([, own]) => own);
    const several = byEntity.filter((own) => own.length > 1);
    const apart = several.filter((own) => new Set(own.map((p) => p.where)).size > 1);
    expect(apart.length / several.length).toBeGreaterThan(0.4);
    // What the drawing says is where the passages are.
    for (const page of pages) {
      const { local, web, stale } = world.placed(page);
      expect([!!local, !!web, !!stale]).toEqual(
        {
          local: [true, false, false],
          web: [false, true, false],
          both: [true, true, false],
          stale: [false, true, true],
        }[page.where],
      );
    }
  });

  it('dates what changes; an older page is older and says something else', () => {
    let stale = 0;
    for (const page of world.pages) {
      const placed = world.placed(page);
      const texts = [placed.local, placed.web].flatMap((p) => p?.text ?? []);
      for (const text of texts)
        expect(/As of (\d+)/.exec(text)?.[1]).toBe(page.dates && String(page.dates.current));
      if (!placed.stale || !page.dates) continue;
      stale++;
      expect(placed.stale.noise).toBe('stale');
      expect(placed.stale.text).toContain(`As of ${page.dates.older}, `);
      expect(page.dates.current - page.dates.older).toBeGreaterThanOrEqual(4);
      const gone = page.facts.some((f) =>
        page.list
          ? !placed.stale?.text.includes(named(f.subject))
          : !placed.stale?.text.includes(f.object.text),
      );
      expect([page.title, gone]).toEqual([page.title, true]);
    }
    expect(stale).toBeGreaterThan(20);
  });

  it('has titles of several entities, told apart in their text', () => {
    const clean = groupBy(
      world.pages.filter((p) => p.sort === 'main'),
      (p) => `${p.about?.kind} ${p.title}`,
    );
    const shared = [...clean.values()].filter((pages) => pages.length > 1);
    expect(shared.length).toBeGreaterThan(3);
    for (const pages of shared)
      for (const page of pages) {
        const { local, web } = world.placed(page);
        for (const p of [local, web]) if (p) expect(p.text).toContain(page.about?.qualifier);
      }
    const titles = new Map(world.entities.map((e) => [`${e.kind} ${e.name}`, e]));
    const adapted = world.entities.filter((e) => e.kind === 'book' && titles.has(`film ${e.name}`));
    expect(adapted.length).toBeGreaterThan(3);
  });

  it('states what a brief page states on no page of the entity, which leads there', () => {
    const briefs = world.pages.filter((p) => p.sort === 'brief');
    expect(briefs.length).toBeGreaterThan(10);
    for (const page of briefs)
      for (const fact of page.facts) {
        const own = world.pages.filter((p) => p.about === fact.subject && p.sort === 'main');
        expect(own.map((p) => p.see)).toEqual([expect.arrayContaining([page.title])]);
        expect(own.some((p) => p.facts.includes(fact))).toBe(false);
      }
  });

  it('marks doubtful claims, and gives them words by which a reader knows', () => {
    const cues = [...DOUBTS, 'Some say that the', 'it is rumored', 'A letter to the editor'].map(
      (text) => text.replace(/ ?\{s\}\.?/, '').replace(' that', ''),
    );
    const doubted = (text: string) => cues.some((cue) => text.includes(cue));
    for (const p of all)
      expect([p.text, doubted(p.text)]).toEqual([p.text, p.noise === 'contradicting']);
    const web = world.web.filter((p) => p.noise === 'contradicting').length;
    expect(web / world.web.length).toBeGreaterThan(0.1);
  });

  it('writes passages that join to the text and read as sentences', () => {
    for (const p of all) {
      expect(p.sentences.join(' ')).toBe(p.text);
      expect(p.text).toMatch(/^[A-Z][^{}]*\.$/);
    }
    expect(new Set(all.map((p) => p.id)).size).toBe(all.length);
  });
});

describe('a mini world', () => {
  it('is cheap, and all forms of question can be drawn from a few of them', () => {
    const since = process.cpuUsage();
    const minis = Array.from({ length: 20 }, (_, i) => generateMiniWorld(i));
    expect(process.cpuUsage(since).user / 1e6 / 20).toBeLessThan(0.1);
    const found = new Map(FORM_NAMES.map((name) => [name, 0]));
    for (const [i, mini] of minis.entries()) {
      const rng = new KeyedRandom(8, i);
      for (const name of FORM_NAMES) {
        const drawn = drawQuestion(rng, openScope(mini, rng), name);
        if (drawn) found.set(name, (found.get(name) ?? 0) + 1);
      }
      expect(FORM_NAMES).toContain(drawForm(rng));
    }
    for (const [name, times] of found) expect([name, times > 8]).toEqual([name, true]);
  });
});
