import { beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/lab/contract/records/failure.ts';
import type { PartState } from '../../../src/lab/contract/progress.ts';
import { LabLost, LoadingFailure, LoadingList } from '../../../src/ui/lab/Loading.tsx';
import { StorageLine } from '../../../src/ui/lab/StorageLine.tsx';
import { useSession } from '../../../src/ui/kit/session-store.ts';
import { buttonsIn, htmlOf, textOf, wordsIn } from '../kit/render.tsx';

const part = (rest: Partial<PartState>): PartState => ({
  status: 'loading',
  note: 'reading',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
  ...rest,
});

const READY = part({ status: 'ready', note: '5 parts' });

const show = (rest: Partial<Record<'world' | 'retrieval' | 'policy', PartState>>): string => {
  useSession.setState({ parts: { world: READY, retrieval: READY, policy: READY, ...rest } });
  return htmlOf(<LoadingList />, useSession);
};

const failure = (rest: Partial<Failure> = {}): Failure => ({
  kind: 'failed',
  message: 'The index is not whole.',
  detail: '',
  ...rest,
});

const fail = (kind: Failure['kind'], detail = ''): string => {
  const part_ = part({ status: 'failed', note: '', failure: failure({ kind, detail }) });
  useSession.setState({ parts: { world: READY, retrieval: part_, policy: READY } });
  return htmlOf(<LoadingFailure />, useSession);
};

beforeEach(() => useSession.setState(useSession.getInitialState(), true));

describe('what is loading', () => {
  it('is shown until everything is loaded', () => {
    expect(wordsIn(show({}))).toBe('');
    expect(wordsIn(show({ world: part({}) }))).toBe(
      'Worldreading Retrieval✓ 5 parts Model✓ 5 parts',
    );
  });

  it('leaves out what no page needs, unless it loads for another reason', () => {
    const waiting = part({ status: 'waiting', note: 'not started' });
    useSession.setState({
      parts: { world: waiting, retrieval: waiting, policy: waiting },
      needed: new Set(),
    });
    expect(textOf(<LoadingList />, useSession)).toBe('');
    useSession.setState({ needed: new Set(['sources']) });
    expect(textOf(<LoadingList />, useSession)).toBe('Worldnot started Retrievalnot started');
    useSession.setState({ needed: new Set() });
    expect(wordsIn(show({ policy: part({}), world: waiting }))).toBe(
      'Retrieval✓ 5 parts Modelreading',
    );
  });

  it.each<[string, Partial<PartState>, string, string]>([
    ['bytes of a known size', { loadedBytes: 2e6, totalBytes: 8e6 }, 'reading 2 MB of 8 MB', '25%'],
    ['bytes of an unknown size', { loadedBytes: 2e6 }, 'reading 2 MB of an unknown size', '0%'],
    [
      'more than was announced',
      { loadedBytes: 9e6, totalBytes: 8e6 },
      'reading 9 MB of 8 MB',
      '100%',
    ],
    ['what has no bytes, and no figure beside it', {}, 'reading', '0%'],
    ['a share where no bytes are known', { share: 0.5 }, 'reading', '50%'],
    ['the time that is left', { share: 0.1, leftMs: 90_000 }, 'reading · 90 s left', '10%'],
    ['a failure', { status: 'failed', share: 0.5, note: 'not there' }, '✗ not there', '0%'],
  ])('says %s', (_, state, words, width) => {
    const html = show({ policy: part(state) });
    const row = html.slice(html.lastIndexOf('<li'));
    expect(wordsIn(row)).toBe(`Model${words}`);
    expect(row).toContain(`width:${width}`);
  });
});

it('draws a bar of its own where nothing says how far it is', () => {
  const bar = 'meter open-ended';
  expect(show({ policy: part({}) })).toContain(bar);
  expect(show({ policy: part({ loadedBytes: 1, totalBytes: 2 }) })).not.toContain(bar);
  expect(show({ policy: part({ share: 0.5 }) })).not.toContain(bar);
});

describe('what failed to load', () => {
  it('is nothing while nothing did', () => {
    expect(textOf(<LoadingFailure />, useSession)).toBe('');
  });

  it.each<[Failure['kind'], string, string]>([
    ['missing', 'Retrieval: a file is missing', 'Load again'],
    ['failed', 'Retrieval failed', 'Load again'],
    ['lost', 'Retrieval: the worker was lost', 'Restart it'],
  ])('%s: says what, why, and what to press', (kind, title, action) => {
    const html = fail(kind);
    expect(wordsIn(html)).toContain(`⚠ ${title} The index is not whole.`);
    expect(html).toContain('role="alert"');
    expect(buttonsIn(html).map(({ name }) => name)).toEqual([action, 'Copy details']);
  });

  it('opens the details where there are some, as text', () => {
    expect(fail('failed')).not.toContain('<details>');
    const html = fail('failed', 'at <open> "x"');
    expect(html).toContain('<pre>at &lt;open&gt; &quot;x&quot;</pre>');
  });

  it('says over every page that the lab worker died, and once', () => {
    expect(textOf(<LabLost />, useSession)).toBe('');
    fail('missing');
    useSession.setState({ labFailure: failure({ kind: 'lost', message: 'Out of memory.' }) });
    const html = htmlOf(<LabLost />, useSession);
    expect(wordsIn(html)).toContain('Lab: the worker was lost Out of memory.');
    expect(buttonsIn(html).map(({ name }) => name)).toEqual(['Restart it', 'Copy details']);
    expect(textOf(<LoadingFailure />, useSession)).toBe('');
  });
});

it('says that storage is unknown if the browser does not report it', () => {
  expect(textOf(<StorageLine />)).toBe('storage: not available here');
});
