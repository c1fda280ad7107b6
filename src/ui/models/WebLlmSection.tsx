import { Button, NumberInput, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import {
  resourcesSchema,
  webLlmModelSchema,
  type Setup,
  type WebLlmModel,
} from '../../records/setup.ts';
import type { WebLlmLine } from '../../policy/remote/webllm/models.ts';
import { formatCount } from '../kit/words/format.ts';
import { lab } from '../lab/connection.ts';
import {
  putWebLlmModel,
  removeWebLlmModel,
  setMirror,
  useSetup,
  choosePolicy,
} from '../setup/setup-store.ts';
import { UndoBar } from '../kit/UndoBar.tsx';
import { forgetPolicy, lostWords, takeUpPolicy, type PolicyUse } from '../setup/setup-uses.ts';
import { useDeviceLimits } from './fit/device-limits.ts';
import type { DeviceView } from '../../lab/models/serving/device-limits.ts';
import { webLlmWords } from './fit/verdict-words.ts';
import { Table, type Head } from '../kit/Table.tsx';

const HEADS: readonly Head[] = [
  ['model'],
  ['GPU memory', 'figure'],
  ['context', 'figure wide-only'],
  ['needs', 'wide-only'],
  ['here'],
  ['use as'],
];

/** WebLLM models: quantized, on the GPU of this device; they sample and cannot be trained. */

/** 4,096 tokens is what most of WebLLM’s own models are compiled for. */
const EMPTY: WebLlmModel = { id: '', weights: '', library: '', maxContext: 4096 };

/** A custom model: quantized weights and a compiled library. Validated by the schema of stored resources. */
const OwnModel = ({ done }: { done: () => void }) => {
  const [model, setModel] = useState(EMPTY);
  const change = (part: Partial<WebLlmModel>) => setModel((before) => ({ ...before, ...part }));
  const valid = webLlmModelSchema.safeParse(model).success;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!valid) return;
    putWebLlmModel(model);
    done();
  };
  return (
    <form className="server-form" aria-label="WebLLM model" onSubmit={onSubmit}>
      <div className="form-line">
        <TextInput
          size="xs"
          label="Name"
          value={model.id}
          onChange={(event) => change({ id: event.currentTarget.value.trim() })}
        />
        <TextInput
          size="xs"
          className="grow"
          label="Folder of the weights"
          placeholder="https://… with mlc-chat-config.json"
          value={model.weights}
          onChange={(event) => change({ weights: event.currentTarget.value.trim() })}
        />
        <TextInput
          size="xs"
          className="grow"
          label="Compiled library"
          placeholder="https://… .wasm"
          value={model.library}
          onChange={(event) => change({ library: event.currentTarget.value.trim() })}
        />
        <NumberInput
          size="xs"
          className="narrow"
          label="Context, tokens"
          min={256}
          step={1024}
          value={model.maxContext}
          onChange={(value) => change({ maxContext: Number(value) })}
        />
      </div>
      <div className="buttons">
        <Button size="xs" type="submit" disabled={!valid}>
          Keep
        </Button>
        <Button size="xs" variant="subtle" onClick={done}>
          Close
        </Button>
      </div>
    </form>
  );
};

/**
 * Mirrors for weights and libraries, for networks that cannot reach the usual hosts. An empty field
 * means the usual host and is absent from the record.
 */
const MirrorFields = () => {
  const mirror = useSetup(({ resources }) => resources.mirror);
  const [weights, setWeights] = useState(mirror.weights ?? '');
  const [libraries, setLibraries] = useState(mirror.libraries ?? '');
  const nextMirror = {
    ...(weights.trim() !== '' && { weights: weights.trim() }),
    ...(libraries.trim() !== '' && { libraries: libraries.trim() }),
  };
  const valid = resourcesSchema.shape.mirror.safeParse(nextMirror).success;
  const same = JSON.stringify(nextMirror) === JSON.stringify(mirror);
  return (
    <details>
      <summary>Mirror</summary>
      <div className="form-line">
        <TextInput
          size="xs"
          className="grow"
          label="Instead of huggingface.co"
          placeholder="http://localhost:8000/"
          value={weights}
          onChange={(event) => setWeights(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          className="grow"
          label="Instead of the default library folder"
          placeholder="http://localhost:8000/libraries/"
          value={libraries}
          onChange={(event) => setLibraries(event.currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          disabled={!valid || same}
          onClick={() => setMirror(nextMirror)}
        >
          Use
        </Button>
      </div>
    </details>
  );
};

/** The library is large, so its list is loaded on demand. */
const useList = () => {
  const [list, setList] = useState<WebLlmLine[] | null>(null);
  const [state, setState] = useState<'closed' | 'loading' | 'open'>('closed');
  const [problem, setProblem] = useState('');
  const read = async () => {
    setState('loading');
    setProblem('');
    try {
      setList(await lab().ask.webLlmModels());
      setState('open');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setState('closed');
    }
  };
  return { list, state, problem, read };
};

/** What a WebLLM model can be used as. */
type Role = 'policy' | 'judge' | 'summarizer';

/** The id of the WebLLM model in a role; null if another model has it. */
const nameOf = (setup: Setup, role: Role): string | null => {
  if (role === 'policy') return setup.policy.kind === 'webllm' ? setup.policy.id : null;
  const spec = setup[role];
  return spec.kind === 'model' && spec.policy.kind === 'webllm' ? spec.policy.id : null;
};

/** Uses a model in a role, or stops using it. */
const RoleButton = ({ id, role }: { id: string; role: Role }) => {
  const used = useSetup(({ setup }) => nameOf(setup, role) === id);
  const change = useSetup((state) => state.change);
  const roleName = role === 'policy' ? 'model' : role;
  const use = () => {
    const policy = { kind: 'webllm', id } as const;
    if (role === 'policy') choosePolicy(used ? { kind: 'built-in' } : policy);
    else if (role === 'judge')
      change({ judge: used ? { kind: 'off' } : { kind: 'model', policy } });
    else change({ summarizer: used ? { kind: 'off' } : { kind: 'model', policy } });
  };
  return (
    <Button
      size="compact-xs"
      variant={used ? 'filled' : 'default'}
      aria-pressed={used}
      aria-label={`Use ${id} as ${roleName}`}
      onClick={use}
    >
      {roleName}
    </Button>
  );
};

/**
 * A model with its needs, and a button per role. Only custom models can be removed; the others are the
 * library’s list.
 */
const Line = (props: { line: WebLlmLine; limits: DeviceView | null; remove: () => void }) => {
  const { line, limits, remove } = props;
  const here = limits && webLlmWords(line, limits);
  return (
    <tr>
      <td>{line.id}</td>
      <td className="figure">
        {line.memoryMB === null ? '–' : `${formatCount(Math.round(line.memoryMB))} MB`}
      </td>
      <td className="figure wide-only">{formatCount(line.maxContext)}</td>
      <td className="wide-only">{line.features.join(', ')}</td>
      <td title={here?.more}>{here?.badge ?? '…'}</td>
      <td>
        <span className="roles">
          <RoleButton id={line.id} role="policy" />
          <RoleButton id={line.id} role="judge" />
          <RoleButton id={line.id} role="summarizer" />
          {line.custom ? (
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={`Remove ${line.id}`}
              onClick={remove}
            >
              Remove
            </Button>
          ) : null}
        </span>
      </td>
    </tr>
  );
};

/** The list has over a hundred models, so it scrolls and has a filter; all words must occur in the name. */
const Models = (props: { lines: readonly WebLlmLine[]; remove: (id: string) => void }) => {
  const { lines, remove } = props;
  const [filter, setFilter] = useState('');
  const limits = useDeviceLimits();
  const words = filter.toLowerCase().split(/\s+/);
  const shown = lines.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
  return (
    <>
      <TextInput
        size="xs"
        aria-label="Filter the models"
        placeholder="filter, such as qwen 0.5b"
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <div className="scroll-table" tabIndex={0} role="region" aria-label="WebLLM models">
        <Table className="plain-table" heads={HEADS}>
          {shown.map((line) => (
            <Line key={line.id} line={line} limits={limits} remove={() => remove(line.id)} />
          ))}
        </Table>
      </div>
      {shown.length === 0 ? <p className="fine">No model matches.</p> : null}
    </>
  );
};

/** Removes and restores a custom model. */
const useRemoved = (again: () => void) => {
  const [removed, setRemoved] = useState<{ model: WebLlmModel; uses: PolicyUse[] } | null>(null);
  const remove = (id: string): void => {
    const model = useSetup.getState().resources.webllm.find((one) => one.id === id);
    if (!model) return;
    const uses = forgetPolicy({ kind: 'webllm', id });
    removeWebLlmModel(id);
    setRemoved({ model, uses });
    again();
  };
  const undo = (): void => {
    if (!removed) return;
    putWebLlmModel(removed.model);
    takeUpPolicy({ kind: 'webllm', id: removed.model.id }, removed.uses);
    setRemoved(null);
    again();
  };
  return { removed, remove, undo };
};

/** The section of the Models page. The list is loaded on demand, because the library is several megabytes. */
export const WebLlmSection = () => {
  const { list, state, problem, read } = useList();
  const { removed, remove, undo } = useRemoved(() => void read());
  const [adding, setAdding] = useState(false);
  return (
    <section aria-labelledby="webllm">
      <div className="section-line">
        <h2 id="webllm">WebLLM</h2>
        <Button size="compact-xs" variant="default" onClick={() => void read()}>
          {state === 'loading' ? 'Loading …' : list ? 'Reload the list' : 'Show the models'}
        </Button>
        {adding ? null : (
          <Button size="compact-xs" variant="default" onClick={() => setAdding(true)}>
            Add your own
          </Button>
        )}
      </div>
      <p className="fine">
        Quantized models on the GPU of this device, as model, judge or summarizer. They only sample:
        the library has no gradients and no adapters. Log-probabilities are WebLLM’s, after
        temperature.
      </p>
      {adding ? (
        <OwnModel
          done={() => {
            setAdding(false);
            void read();
          }}
        />
      ) : null}
      {problem ? (
        <p role="alert" className="tone-bad">
          ⚠ The list could not be read: {problem}
        </p>
      ) : null}
      <UndoBar
        verb="Removed"
        removed={
          removed
            ? [{ id: removed.model.id, name: removed.model.id, lost: lostWords(removed.uses) }]
            : []
        }
        restore={undo}
      />
      {list ? <Models lines={list} remove={remove} /> : null}
      <MirrorFields />
    </section>
  );
};
