import { NumberInput, TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useMemo, useState } from 'react';
import { DEVICES } from '../../../lab/contract/settings.ts';
import type { PolicyRef } from '../../../records/setup.ts';
import { useModels } from '../../models/store/models-store.ts';
import { PickField } from '../../kit/PickField.tsx';
import { grouped, keyOf, policyChoices, helperValue } from '../../setup/form/policy-words.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';

/** Seeds as typed: `1, 2, 5-8`. */

/** Most seeds per evaluation, as in its schema. */
const MOST = 50;
/** Seeds have 32 bits. */
const LARGEST = 0xffffffff;

/** Sorted distinct seeds; null if the text is invalid. */
export const parseSeeds = (text: string): number[] | null => {
  const seeds = new Set<number>();
  for (const part of text.split(/[\s,;]+/u).filter(Boolean)) {
    const [, from = '', to = from] = /^(\d{1,10})(?:[-–](\d{1,10}))?$/u.exec(part) ?? [];
    if (from === '') return null;
    const [first, last] = [Number(from), Number(to)];
    if (last < first || last > LARGEST || last - first >= MOST) return null;
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return seeds.size > 0 && seeds.size <= MOST ? [...seeds].sort((a, b) => a - b) : null;
};

/** Runs of three or more become a range. */
export const formatSeeds = (seeds: readonly number[]): string => {
  const parts: string[] = [];
  for (let at = 0; at < seeds.length;) {
    let end = at;
    while (seeds[end + 1] === (seeds[end] ?? NaN) + 1) end++;
    if (end - at >= 2) parts.push(`${seeds[at]}-${seeds[end]}`);
    else for (let one = at; one <= end; one++) parts.push(String(seeds[one]));
    at = end + 1;
  }
  return parts.join(', ');
};

const ROUTINGS = ['argmax', 'sampled'] as const;

/** Seeds as text; kept while it is typed, and used once it is a valid list. */
const Seeds = () => {
  const seeds = useEvaluateDraft(({ spec }) => spec.seeds);
  const [text, setText] = useState<string | null>(null);
  const wrong = text !== null && parseSeeds(text) === null;
  return (
    <TextInput
      size="xs"
      label="Seeds"
      title="Every question is asked once per seed"
      value={text ?? formatSeeds(seeds)}
      error={wrong ? 'Whole numbers, such as 1, 2, 5-8; 50 at most.' : undefined}
      onChange={(event) => {
        const written = event.currentTarget.value;
        setText(written);
        const parsed = parseSeeds(written);
        if (parsed) useEvaluateDraft.getState().change({ seeds: parsed });
      }}
      onBlur={() => !wrong && setText(null)}
    />
  );
};

/** Judge of answers, and summarizer for systems that read summaries. */
const Helpers = () => {
  const judge = useEvaluateDraft(({ spec }) => spec.judge);
  const summarizer = useEvaluateDraft(({ spec }) => spec.summarizer);
  const change = useEvaluateDraft((state) => state.change);
  const resources = useSetup((state) => state.resources);
  const checkpoints = useModels((state) => state.checkpoints);
  const models = useMemo(() => {
    const kept = [judge, summarizer].flatMap((one): PolicyRef[] =>
      one.kind === 'model' ? [one.policy] : [],
    );
    // The built-in policy does not follow instructions.
    return policyChoices(resources, checkpoints, kept).filter(({ chats }) => chats);
  }, [resources, checkpoints, judge, summarizer]);
  const found = (value: string) => models.find(({ ref }) => keyOf(ref) === value);
  return (
    <>
      <Select
        size="xs"
        label="Judge"
        title={
          models.length === 0
            ? 'The built-in model cannot judge: add a server or a chat model on Models'
            : 'A second model decides whether an answer means the same as the gold answer'
        }
        data={[{ value: 'off', label: 'off' }, ...grouped(models)]}
        value={helperValue(judge)}
        onChange={({ currentTarget: { value } }) => {
          const model = found(value);
          change({ judge: model ? { kind: 'model', policy: model.ref } : { kind: 'off' } });
        }}
      />
      <Select
        size="xs"
        label="Summarizer"
        title="For systems that read summaries instead of passages"
        data={[
          { value: 'extractive', label: 'extractive (built in)' },
          { value: 'off', label: 'off' },
          ...grouped(models),
        ]}
        value={helperValue(summarizer)}
        onChange={({ currentTarget: { value } }) => {
          const model = found(value);
          change({
            summarizer: model
              ? { kind: 'model', policy: model.ref }
              : { kind: value === 'off' ? 'off' : 'extractive' },
          });
        }}
      />
    </>
  );
};

/** Sampling, judge and device. */
export const SamplingFields = () => {
  const { temperature, routing } = useEvaluateDraft(({ spec }) => spec);
  const change = useEvaluateDraft((state) => state.change);
  const device = useEvaluateDraft((state) => state.device);
  const name = useEvaluateDraft((state) => state.name);
  return (
    <section aria-label="Sampling" className="chooser-part">
      <h2>Sampling, judge, device</h2>
      <div className="setting-fields">
        <Seeds />
        <NumberInput
          size="xs"
          label="Temperature"
          min={0}
          max={4}
          step={0.1}
          value={temperature}
          onChange={(value) => typeof value === 'number' && change({ temperature: value })}
        />
        <PickField
          label="Routing"
          title="Systems with a router: always take the likelier source, or sample it"
          values={ROUTINGS}
          value={routing}
          onPick={(value) => change({ routing: value })}
        />
        <Helpers />
        <PickField
          label="Device"
          values={DEVICES}
          value={device}
          onPick={(value) => useEvaluateDraft.setState({ device: value })}
        />
        <TextInput
          size="xs"
          label="Name"
          placeholder="(chosen automatically)"
          maxLength={200}
          value={name}
          onChange={(event) => useEvaluateDraft.setState({ name: event.currentTarget.value })}
        />
      </div>
    </section>
  );
};
