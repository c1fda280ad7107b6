import { Button, TextInput } from '@mantine/core';
import { Select } from '../kit/Select.tsx';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { WebSpec } from '../../records/setup.ts';
import { completeAddress } from '../../retrieval/engines/address.ts';
import { testConnection, type ConnectionReport } from '../../retrieval/engines/test-connection.ts';
import type { EngineSpec } from '../../retrieval/engines/open.ts';
import { searchWeb } from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { formatBytes, formatMs, plural } from '../kit/words/format.ts';
import { ENGINES } from '../../retrieval/engines/kinds/list.ts';

/** The kinds of web source in the form: the built-in web, and each search engine. */

interface WebKind {
  id: string;
  name: string;
  /** What it is, in one sentence. */
  about: string;
  /** An example address; empty if it needs none. */
  example: string;
}

const BUILT_IN: WebKind = {
  id: 'built-in',
  name: 'Built-in web',
  about: 'The web of the built-in world: an index included with this page.',
  example: '',
};

/** In list order, the built-in web first. */
export const WEB_KINDS: readonly WebKind[] = [BUILT_IN, ...ENGINES];

/** A kind by its id; the built-in web for an unknown id. */
export const webKind = (id: string): WebKind =>
  WEB_KINDS.find((kind) => kind.id === id) ?? BUILT_IN;

const TONES = { ok: 'tone-good', empty: 'tone-hint' } as const;

/** The result of a connection test, what to do next, and a sample. */
export const ConnectionResult = ({ report }: { report: ConnectionReport }) => {
  const { outcome, said, advice, sample } = report;
  const tone = outcome === 'ok' || outcome === 'empty' ? TONES[outcome] : 'tone-bad';
  return (
    <div className="connection-result" data-outcome={outcome}>
      <p className={tone}>
        <span aria-hidden="true">{outcome === 'ok' ? '✓' : '⚠'}</span> {said}
      </p>
      {advice ? <p>{advice}</p> : null}
      {sample ? (
        <blockquote>
          <b>{sample.title}</b> {sample.text.slice(0, 240)}
          {sample.text.length > 240 ? '…' : ''}
        </blockquote>
      ) : null}
      <p className="fine">
        {formatMs(report.latencyMs)} · {plural(report.requests, 'request')} ·{' '}
        {formatBytes(report.bytes)}
      </p>
    </div>
  );
};

/** The typed address as a source; null while it is invalid. */
const specOf = (kind: string, typed: string): WebSpec | null => {
  if (kind === 'built-in') return { kind };
  const url = completeAddress(kind, typed);
  return url === null ? null : { kind, url };
};

/** By value: a new object is made with every keystroke. */
const sameSpec = (a: WebSpec, b: WebSpec | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Runs one test at a time; a new test or leaving cancels it. */
const useConnectionTest = () => {
  const [report, setReport] = useState<ConnectionReport | null>(null);
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  const cancel = (): void => {
    running.current?.abort();
    running.current = null;
    setBusy(false);
  };
  useEffect(() => () => running.current?.abort(), []);
  const start = async (spec: EngineSpec, query: string): Promise<void> => {
    cancel();
    const controller = new AbortController();
    running.current = controller;
    setReport(null);
    setBusy(true);
    const { signal } = controller;
    // An https page cannot request an http server.
    const options = { signal, origin: window.location.origin };
    const outcome = await testConnection(
      spec,
      query.trim() === '' ? options : { ...options, query: query.trim() },
    ).catch(() => null);
    // It was cancelled, or replaced by a newer test.
    if (running.current !== controller) return;
    setReport(outcome);
    setBusy(false);
  };
  const forget = (): void => {
    cancel();
    setReport(null);
  };
  return { report, busy, start, cancel, forget };
};

/** Chooses the web source: kind and address, tested before use. */
export const WebSourceForm = () => {
  const setup = useSetup((state) => state.setup);
  const [kind, setKind] = useState<string>(setup.web.kind);
  const [address, setAddress] = useState('url' in setup.web ? setup.web.url : '');
  const [query, setQuery] = useState('');
  const { report, busy, start, cancel, forget } = useConnectionTest();
  const info = webKind(kind);
  const spec = specOf(kind, address);
  const engine = spec && 'url' in spec ? spec : null;
  const used = sameSpec(setup.web, spec);
  const wrong = address.trim() !== '' && spec === null;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (spec) searchWeb(spec);
  };
  return (
    <form id="web-source" className="web-source" onSubmit={onSubmit} aria-label="Web source">
      <div className="form-line">
        <Select
          label="Web source"
          value={kind}
          data={WEB_KINDS.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => {
            forget();
            setKind(event.currentTarget.value);
          }}
        />
        {kind === 'built-in' ? null : (
          <>
            <TextInput
              className="grow"
              label="Address"
              inputMode="url"
              autoComplete="url"
              spellCheck={false}
              placeholder={info.example}
              value={address}
              error={wrong}
              aria-describedby="web-source-about"
              onChange={(event) => {
                forget();
                setAddress(event.currentTarget.value);
              }}
            />
            <TextInput
              label="Try with"
              placeholder="history"
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
            />
            <Button
              variant="default"
              disabled={!engine}
              onClick={() => (busy ? cancel() : engine && void start(engine, query))}
            >
              {busy ? 'Cancel' : 'Test connection'}
            </Button>
          </>
        )}
        <Button type="submit" disabled={spec === null || used}>
          {used ? 'In use' : 'Use it'}
        </Button>
      </div>
      <p className="fine" id="web-source-about">
        {wrong ? (
          <b className="tone-bad">Enter the address of a web server, such as {info.example}. </b>
        ) : null}
        {info.about}
        {engine && engine.url !== address.trim() ? ` Asked at ${engine.url}` : ''}
      </p>
      <div role="status">
        {busy ? <p className="fine">Asking {engine ? new URL(engine.url).host : ''} …</p> : null}
        {report ? <ConnectionResult report={report} /> : null}
      </div>
    </form>
  );
};
