import { Button, NumberInput, PasswordInput, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { endpointSchema, type Endpoint } from '../../records/setup.ts';
import {
  testEndpoint,
  type ConnectionReport,
} from '../../policy/remote/endpoint/test-connection.ts';
import { formatCount, formatMs } from '../kit/words/format.ts';
import { UndoBar } from '../kit/UndoBar.tsx';
import { PickField } from '../kit/PickField.tsx';
import {
  putEndpoint,
  removeEndpoint,
  setKey,
  useSetup,
  choosePolicy,
} from '../setup/setup-store.ts';
import { forgetPolicy, lostWords, takeUpPolicy, type PolicyUse } from '../setup/setup-uses.ts';

/** OpenAI-compatible servers: llama.cpp, Ollama, vLLM, SGLang. */

const APIS = ['chat', 'chat-continue', 'completions'] as const;
/** The three APIs of such servers; only the last two let the policy continue its own turn. */
const API_WORDS: Record<Endpoint['api'], string> = {
  chat: 'chat, in turns',
  'chat-continue': 'chat, continues its own turn',
  completions: 'completions (one text)',
};

/** llama.cpp’s default address; other servers print theirs at startup. */
const EMPTY: Endpoint = {
  id: '',
  url: 'http://localhost:8080/v1',
  model: '',
  api: 'chat',
  maxContext: 8192,
};

/** The first error of the form as text; null if valid. */
const faultOf = (endpoint: Endpoint): string | null => {
  const parsed = endpointSchema.safeParse({ ...endpoint, id: endpoint.id || 'new' });
  if (parsed.success) return null;
  // In terms of the form, one at a time.
  const [field] = parsed.error.issues[0]?.path ?? [];
  if (field === 'url') return 'The address must begin with http:// or https://.';
  if (field === 'model') return 'Name the model as the server lists it.';
  return 'The context must be a number of tokens, 256 or more.';
};

/** Runs one test at a time; another test or leaving cancels it. */
const useTest = () => {
  const [report, setReport] = useState<ConnectionReport | null>(null);
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const cancel = () => {
    running.current?.abort();
    running.current = null;
    setBusy(false);
  };
  const start = async (endpoint: Endpoint, key: string) => {
    cancel();
    const controller = new AbortController();
    running.current = controller;
    setReport(null);
    setBusy(true);
    // A cancelled or replaced test must not report anything.
    const outcome = await testEndpoint(endpoint, key, { signal: controller.signal }).catch(
      () => null,
    );
    if (running.current !== controller) return;
    setReport(outcome);
    setBusy(false);
  };
  return { report, busy, start, cancel, forget: () => (cancel(), setReport(null)) };
};

/** The result of a test: a line per step, and the server's models to choose from. */
const Report = ({
  report,
  choose,
}: {
  report: ConnectionReport;
  choose: (model: string) => void;
}) => (
  <div className={report.ok ? 'connection good' : 'connection bad'}>
    <p>
      <b>{report.ok ? '✓' : '⚠'}</b> {report.message}{' '}
      <span className="fine">{formatMs(report.latencyMs)}</span>
    </p>
    {report.models.length > 0 ? (
      <p className="fine">
        It lists{' '}
        {report.models.slice(0, 12).map((model, i) => (
          <span key={model}>
            {i > 0 ? ', ' : ''}
            <button type="button" className="link" onClick={() => choose(model)}>
              {model}
            </button>
          </span>
        ))}
        {report.models.length > 12 ? ` and ${report.models.length - 12} more` : ''}.
      </p>
    ) : null}
  </div>
);

/**
 * The form of a server. The key is separate from the record: it stays in this tab’s memory and is
 * never stored or put into an address.
 */
const Form = ({ first, done }: { first: Endpoint; done: () => void }) => {
  const [endpoint, setEndpoint] = useState(first);
  // Read once: while the form is open, the typed values count.
  const [key, setTyped] = useState(() => useSetup.getState().keys[first.id] ?? '');
  const test = useTest();
  const fault = faultOf(endpoint);
  // A test refers to the values at its start.
  const change = (part: Partial<Endpoint>) => {
    test.forget();
    setEndpoint((before) => ({ ...before, ...part }));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (fault !== null) return;
    // A separate id, so that address and model can change without losing its uses.
    const id = endpoint.id || `server-${crypto.randomUUID().slice(0, 8)}`;
    setKey(id, key);
    putEndpoint({ ...endpoint, id });
    done();
  };
  return (
    <form className="server-form" aria-label="Server" onSubmit={onSubmit}>
      <div className="form-line">
        <TextInput
          size="xs"
          className="grow"
          label="Address"
          inputMode="url"
          spellCheck={false}
          value={endpoint.url}
          onChange={(event) => change({ url: event.currentTarget.value.trim() })}
        />
        <TextInput
          size="xs"
          label="Model"
          spellCheck={false}
          placeholder="as the server lists it"
          value={endpoint.model}
          onChange={(event) => change({ model: event.currentTarget.value })}
        />
        <PickField
          label="Protocol"
          value={endpoint.api}
          values={APIS}
          names={API_WORDS}
          onPick={(api) => change({ api })}
        />
        <NumberInput
          size="xs"
          className="narrow"
          label="Context, tokens"
          min={256}
          step={1024}
          value={endpoint.maxContext}
          onChange={(value) => change({ maxContext: Number(value) })}
        />
        <PasswordInput
          size="xs"
          label="API key"
          autoComplete="off"
          placeholder="if it needs one"
          value={key}
          onChange={(event) => {
            test.forget();
            setTyped(event.currentTarget.value);
          }}
        />
      </div>
      <p className="fine">
        The key stays in this tab’s memory and is sent only to this address. The server must allow
        this page to read it (CORS).
      </p>
      {/* Without a model the form is incomplete, not wrong. */}
      {fault !== null && endpoint.model !== '' ? (
        <p role="alert" className="tone-bad">
          ⚠ {fault}
        </p>
      ) : null}
      <div role="status">
        {test.busy ? <p className="fine">Requesting one token …</p> : null}
        {test.report ? <Report report={test.report} choose={(model) => change({ model })} /> : null}
      </div>
      <div className="buttons">
        <Button
          size="xs"
          variant="default"
          // A test without a model is useful: it lists the server's models.
          disabled={faultOf({ ...endpoint, model: endpoint.model || '?' }) !== null}
          onClick={() =>
            test.busy
              ? test.cancel()
              : void test.start({ ...endpoint, model: endpoint.model || '?' }, key)
          }
        >
          {test.busy ? 'Cancel' : 'Test connection'}
        </Button>
        <Button size="xs" type="submit" disabled={fault !== null}>
          Keep
        </Button>
        <Button size="xs" variant="subtle" onClick={done}>
          Close
        </Button>
      </div>
    </form>
  );
};

/** A server with its model, and whether it is in use. */
const Row = (props: { endpoint: Endpoint; edit: () => void; remove: () => void }) => {
  const { endpoint } = props;
  const used = useSetup(
    ({ setup }) => setup.policy.kind === 'endpoint' && setup.policy.id === endpoint.id,
  );
  const hasKey = useSetup((state) => endpoint.id in state.keys);
  return (
    <li className="panel checkpoint-card">
      <div className="section-line">
        <h3 className="ellipsis">{endpoint.model}</h3>
        {used ? <span className="badge good">model</span> : null}
        {hasKey ? <span className="badge">key in memory</span> : null}
      </div>
      <p className="fine">
        {endpoint.url} · {API_WORDS[endpoint.api]} · context {formatCount(endpoint.maxContext)}{' '}
        tokens · samples only, cannot be trained here
      </p>
      <p className="fit-verdict">
        <span className="badge good">runs on the server</span>{' '}
        <span className="fine">uses no disk or memory on this device</span>
      </p>
      <div className="buttons">
        <Button
          size="compact-xs"
          disabled={used}
          onClick={() => choosePolicy({ kind: 'endpoint', id: endpoint.id })}
        >
          {used ? 'In use' : 'Use'}
        </Button>
        <Button size="compact-xs" variant="default" onClick={props.edit}>
          Edit and test
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`Remove ${endpoint.model}`}
          onClick={props.remove}
        >
          Remove
        </Button>
      </div>
    </li>
  );
};

/** Configured servers, stored in this browser; their keys are only in this tab’s memory. */
export const ServersSection = () => {
  const endpoints = useSetup(({ resources }) => resources.endpoints);
  const [open, setOpen] = useState<Endpoint | null>(null);
  // Only the last one can be restored.
  const [removed, setRemoved] = useState<{ endpoint: Endpoint; uses: PolicyUse[] } | null>(null);
  return (
    <section className="cards-section" aria-labelledby="servers">
      <div className="section-line">
        <h2 id="servers">Servers</h2>
        {open ? null : (
          <Button size="compact-xs" variant="default" onClick={() => setOpen(EMPTY)}>
            Add a server
          </Button>
        )}
      </div>
      {open ? <Form key={open.id} first={open} done={() => setOpen(null)} /> : null}
      <UndoBar
        verb="Removed"
        removed={
          removed
            ? [
                {
                  id: removed.endpoint.id,
                  name: removed.endpoint.model,
                  lost: lostWords(removed.uses),
                },
              ]
            : []
        }
        restore={() => {
          if (!removed) return;
          const { endpoint, uses } = removed;
          putEndpoint(endpoint);
          takeUpPolicy({ kind: 'endpoint', id: endpoint.id }, uses);
          setRemoved(null);
        }}
      />
      {endpoints.length === 0 && !open ? (
        <p className="fine">
          None yet. Any OpenAI-compatible server can be model, judge or summarizer: llama.cpp,
          Ollama, vLLM, SGLang, on this machine or on a cluster.
        </p>
      ) : (
        <ul className="checkpoints">
          {endpoints.map((endpoint) => (
            <Row
              key={endpoint.id}
              endpoint={endpoint}
              edit={() => setOpen(endpoint)}
              remove={() => {
                const uses = forgetPolicy({ kind: 'endpoint', id: endpoint.id });
                removeEndpoint(endpoint.id);
                setRemoved({ endpoint, uses });
              }}
            />
          ))}
        </ul>
      )}
    </section>
  );
};
