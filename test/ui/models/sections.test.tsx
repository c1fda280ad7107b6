import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { factsOf } from '../../../src/lab/models/checkpoints/facts.ts';
import { AddCheckpoint } from '../../../src/ui/models/AddCheckpoint.tsx';
import { CheckpointsSection } from '../../../src/ui/models/CheckpointsSection.tsx';
import { ConfigFacts } from '../../../src/ui/models/parts/ConfigFacts.tsx';
import { EncodersSection } from '../../../src/ui/models/EncodersSection.tsx';
import { pickedFolder } from '../../../src/ui/models/parts/folder-files.ts';
import { PlanCard } from '../../../src/ui/models/PlanCard.tsx';
import { useModels, type EncodersState } from '../../../src/ui/models/store/models-store.ts';
import { choosePolicy, useSetup } from '../../../src/ui/setup/setup-store.ts';
import { lostWords } from '../../../src/ui/setup/setup-uses.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../kit/render.tsx';
import { checkpoint, planView } from './views.ts';

const set = useModels.setState;
const names = (html: string): string[] => buttonsIn(html).map(({ name }) => name);

beforeEach(() => {
  set(useModels.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('the checkpoints on this device', () => {
  const section = () => htmlOf(<CheckpointsSection />, useModels, useSetup);

  it('say what to do while the list is empty', () => {
    expect(wordsIn(section())).toContain('Loading the list …');
    set({ status: 'ready' });
    expect(wordsIn(section())).toContain('No models yet. Open a GGUF file');
  });

  it('say what went wrong, what to do, and what can be undone', () => {
    set({
      status: 'ready',
      problem: { message: 'It is gated.', next: 'Give a token.' },
      removed: [{ id: 'a', name: 'A', bytes: 1.26e9, uses: ['policy', 'judge'], at: Date.now() }],
    });
    const html = section();
    expect(wordsIn(html)).toContain('⚠ It is gated. Give a token.');
    expect(wordsIn(html)).toContain(
      'Deleted “A” (1.26 GB); the built-in model is used now; nothing is judged now.',
    );
    expect(wordsIn(html)).toContain('Undo is possible for 5 minutes; then the space is freed.');
    expect(buttonsIn(html).map(({ name }) => name)).toContain('Free the space now');
    expect(lostWords([])).toBe('');
  });

  it.each<[string, Parameters<typeof checkpoint>[1], string[], string[]]>([
    [
      'ready',
      {},
      ['ready', '4 MB', '0 files'],
      ['Rename name of a', 'Use name of a', 'Delete name of a'],
    ],
    [
      'on its way',
      { state: 'downloading', source: { kind: 'url', url: 'https://a.b/c' } },
      ['downloading', '4 MB of 10 MB', 'https://a.b/c'],
      ['Rename name of a', 'Pause name of a', 'Cancel name of a'],
    ],
    [
      'in another tab',
      { state: 'elsewhere' },
      // From a folder of this machine nothing is downloaded.
      ['copying in another tab'],
      ['Rename name of a'],
    ],
    [
      'interrupted',
      { state: 'paused', source: { kind: 'url', url: 'https://a.b/c' } },
      ['interrupted'],
      ['Rename name of a', 'Resume name of a', 'Delete name of a'],
    ],
    [
      'interrupted, of a folder',
      { state: 'paused' },
      ['folder “tiny” on this machine'],
      ['Rename name of a', 'Choose “tiny” again to resume', 'Delete name of a'],
    ],
  ])('that is %s offers what can be done with it', (_, rest, words, actions) => {
    set({ status: 'ready', checkpoints: [checkpoint('a', rest)] });
    const html = section();
    const row = html.slice(html.indexOf('data-checkpoint="a"'));
    for (const said of words) expect(wordsIn(row)).toContain(said);
    expect(names(row)).toEqual(actions);
  });

  it('that failed says why and what to do; where it is from is said in full', () => {
    const source = {
      kind: 'hub',
      base: 'https://hub.example/api',
      repository: 'Qwen/Q',
      revision: 'main',
    } as const;
    set({
      status: 'ready',
      checkpoints: [
        checkpoint('a', {
          state: 'paused',
          source,
          revision: 'abcdef0123456789',
          failure: { kind: 'storage-full', message: 'The disk is full.', next: 'Free some.' },
        }),
      ],
    });
    const html = section();
    expect(wordsIn(html)).toContain('Qwen/Q@main, commit abcdef01, from hub.example');
    expect(wordsIn(html)).toContain('The disk is full. Free some.');
    expect(html).toContain('badge bad');
  });

  it('on its way says how fast, how long still, or what it waits for', () => {
    const progress = {
      id: 'a',
      file: 'model.safetensors',
      doneBytes: 5_000_000,
      totalBytes: 10_000_000,
      bytesPerSecond: 1_000_000,
      secondsLeft: 5,
      waiting: null,
    };
    set({
      status: 'ready',
      checkpoints: [checkpoint('a', { state: 'downloading' })],
      progress: { a: progress },
    });
    expect(wordsIn(section())).toContain('5 MB of 10 MB · 1 MB/s · 5 s left · model.safetensors');
    expect(valuesOf(section(), 'aria-valuenow')).toEqual(['50']);
    set({ progress: { a: { ...progress, waiting: 'waiting for the network' } } });
    expect(wordsIn(section())).toContain('5 MB of 10 MB · waiting for the network');
  });

  it('in use says so, and cannot be chosen again', () => {
    set({ status: 'ready', checkpoints: [checkpoint('a')] });
    choosePolicy({ kind: 'checkpoint', id: 'a' });
    expect(wordsIn(section())).toContain('in use');
    expect(names(section())).toContain('Back to the built-in model');
  });
});

describe('what would be stored', () => {
  const plan = (rest: Parameters<typeof planView>[0]) =>
    htmlOf(<PlanCard view={planView(rest)} />, useModels);
  const download = (html: string) =>
    buttonsIn(html).find(({ name }) => /^(?:Copy|Download)/.test(name));

  it.each<[string, Parameters<typeof planView>[0], string, boolean]>([
    ['fits', { freeBytes: 5000 }, 'Fits: 5 kB left for this site.', false],
    [
      'does not fit',
      { freeBytes: 500 },
      'Not enough disk: 500 B left for this site. Delete models you no longer need',
      true,
    ],
    [
      'is not known to fit',
      { freeBytes: null },
      'The browser does not report its disk quota.',
      false,
    ],
    [
      'is of unknown size',
      { freeBytes: 5000, unknownSizes: 1 },
      'The server does not report the size of 1 file; 5 kB left',
      false,
    ],
  ])('%s', (_, rest, words, disabled) => {
    const html = plan(rest);
    expect(wordsIn(html)).toContain(words);
    expect(download(html)).toMatchObject({ name: 'Copy 700 B', disabled });
  });

  it('says how it will be checked, and what is here already', () => {
    expect(wordsIn(plan({}))).toContain(
      '1 file, 700 B · no SHA-256 known; lengths and headers are checked',
    );
    set({ checkpoints: [checkpoint('a', { name: 'Mine', state: 'paused', totalBytes: 700 })] });
    expect(wordsIn(plan({}))).toContain(
      '“Mine” on this device is the same model; resume it instead of downloading twice.',
    );
  });

  it('is shown where it was requested, and can be cancelled', () => {
    const add = () => htmlOf(<AddCheckpoint />, useModels);
    expect(buttonsIn(add()).find(({ name }) => name === 'Check')?.disabled).toBe(true);
    set({ look: { status: 'looking', what: 'Qwen/Q' } });
    expect(wordsIn(add())).toContain('Checking Qwen/Q … Cancel');
    set({
      look: {
        status: 'failed',
        fault: { kind: 'not-found', message: 'No such repository.', next: 'See its name.' },
      },
    });
    expect(wordsIn(add())).toContain('⚠ No such repository. See its name.');
    set({ look: { status: 'ready', view: planView(), files: null } });
    expect(valuesOf(add(), 'aria-label')).toContain('Preview of tiny');
  });
});

it('says the shape of a model as far as its config tells', () => {
  const words = (config: object) =>
    wordsIn(htmlOf(<ConfigFacts facts={factsOf(config as Record<string, unknown>)} />));
  expect(words({})).toBe('unknown family');
  expect(
    words({
      model_type: 'qwen2',
      num_hidden_layers: 24,
      vocab_size: 151_936,
      torch_dtype: 'bfloat16',
    }),
  ).toBe('qwen2 · 24 layers · vocabulary 151,936 · bfloat16');
});

describe('encoders', () => {
  const section = () => htmlOf(<EncodersSection />, useModels);
  const encodersAre = (change: Partial<EncodersState>): void =>
    useModels.setState(({ encoders }) => ({ encoders: { ...encoders, ...change } }));

  it('say what they are for while the list is empty, and what is in progress', () => {
    expect(wordsIn(section())).toContain('Reading the list … A folder with an ONNX model');
    encodersAre({
      status: 'ready',
      adding: true,
      problem: { text: 'No tokenizer.', next: 'Nothing was stored.' },
    });
    expect(wordsIn(section())).toContain('Reading and testing the folder …');
    expect(wordsIn(section())).toContain('⚠ No tokenizer. Nothing was stored.');
    expect(wordsIn(section())).toContain('None yet.');
  });

  it('say what each is, and what its deletion meant', () => {
    const facts = { id: 'e5', bytes: 5e6, maxTokens: 512, note: 'mean pooling', addedAt: 0 };
    encodersAre({
      status: 'ready',
      encoders: [
        { ...facts, kind: 'encoder', dimensions: 384 },
        { ...facts, id: 'ce', kind: 'reranker', dimensions: null },
      ],
      removed: [{ id: 'old', uses: ['encoder', 'reranker'], at: Date.now() }],
    });
    const said = wordsIn(section());
    expect(said).toContain('5 MB · 384 dimensions · at most 512 tokens · mean pooling');
    expect(said).toContain('5 MB · at most 512 tokens');
    expect(said).toContain(
      'Deleted “old”; the built-in encoder is used now; results are no longer reranked.',
    );
    expect(names(section())).toEqual(expect.arrayContaining(['Delete e5', 'Delete ce', 'Undo']));
  });
});

it('takes the files of a folder by their paths in it', () => {
  const file = new File(['{}'], 'config.json');
  Object.defineProperty(file, 'webkitRelativePath', { value: 'tiny/config.json' });
  expect(pickedFolder([file, new File([''], 'loose')]).map(({ path }) => path)).toEqual([
    'tiny/config.json',
    'loose',
  ]);
});
