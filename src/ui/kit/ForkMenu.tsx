import { Button, NumberInput } from '@mantine/core';
import { Select } from './Select.tsx';
import { useState } from 'react';
import { FORK_CHANGES, offerOf, type ForkChange } from '../../agent/fork/changes.ts';
import type { SourceName } from '../../records/hits.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { PolicyChoice } from '../../lab/contract/settings.ts';
import { Term } from './words/explain/Term.tsx';
import { CHANGE_NAMES, CHANGE_SIGNS, offerWords } from './fork-words.ts';
import './fork.css';

/** The change at an event. */
export interface ForkAsk {
  change: ForkChange;
  event: number;
  source?: SourceName;
  temperature?: number;
  policy?: { policy: PolicyChoice; name: string };
}

/** A policy that may continue. */
export interface ForkPolicy {
  policy: PolicyChoice;
  name: string;
}

/** The menu knows no store: its page works out the possible forks and policies. */
export interface ForkMenuProps {
  rollout: Rollout;
  event: number;
  /** Why this rollout cannot be forked; null if it can. */
  why: string | null;
  /** Still being worked out. */
  checking?: boolean;
  /** Called when the menu opens. */
  opened?: () => void;
  /** Note if another policy than the writer continues by default. */
  note: string | null;
  /** Alternative policies; null while they load. */
  policies: readonly ForkPolicy[] | null;
  busy: boolean;
  start: (ask: ForkAsk) => void;
}

const temperatureOf = ({ recipe: { settings } }: Rollout): number => {
  const { sampling } = settings;
  const known = typeof sampling === 'object' && sampling !== null && 'temperature' in sampling;
  return known && typeof sampling.temperature === 'number' ? sampling.temperature : 1;
};

type LineProps = ForkMenuProps & { change: ForkChange };

/** One kind of change: its button, its option, and its effect here. */
const Line = ({ change, ...props }: LineProps) => {
  const { rollout, event, busy, start, policies } = props;
  const offer = offerOf(rollout, event, change);
  const own = temperatureOf(rollout);
  const [temperature, setTemperature] = useState<number | string>(own === 0 ? 1 : 0);
  const [chosen, setChosen] = useState('0');
  const policy = policies?.[Number(chosen)];
  const ready =
    change === 'temperature'
      ? typeof temperature === 'number'
      : change !== 'policy' || policy !== undefined;
  const act = () => {
    if (!offer.possible) return;
    start({
      change,
      event: offer.event,
      source: offer.source,
      ...(change === 'temperature' && typeof temperature === 'number' && { temperature }),
      ...(change === 'policy' && policy && { policy }),
    });
  };
  return (
    <li>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!offer.possible || busy || !ready}
        onClick={act}
      >
        <span aria-hidden="true">{CHANGE_SIGNS[change]}</span>&nbsp;{CHANGE_NAMES[change]}
      </Button>
      {change === 'temperature' ? (
        <NumberInput
          size="xs"
          className="fork-number"
          aria-label="Temperature from here on"
          min={0}
          max={2}
          step={0.1}
          value={temperature}
          onChange={setTemperature}
        />
      ) : null}
      {change === 'policy' && policies !== null && policies.length > 0 ? (
        <Select
          size="xs"
          aria-label="Adapter from here on"
          data={policies.map(({ name }, i) => ({ value: String(i), label: name }))}
          value={chosen}
          onChange={({ currentTarget: { value } }) => setChosen(value)}
        />
      ) : null}
      <span className="fine">
        {change === 'temperature' && offer.possible
          ? `it was ${own}`
          : change === 'policy' && policies !== null && policies.length === 0
            ? 'not available: no training run in this browser has an adapter'
            : offerWords(change, offer)}
      </span>
    </li>
  );
};

/** "Fork here": continues a rollout from one of its events in a second copy. */
export const ForkMenu = (props: ForkMenuProps) => {
  const { note, event, busy, rollout } = props;
  const [open, setOpen] = useState(false);
  const ended = offerOf(rollout, event, 'draw');
  const why = props.why ?? (ended.possible ? null : `${ended.why}; open an earlier event`);
  return (
    <div className="fork">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={open}
        onClick={() => {
          if (!open) props.opened?.();
          setOpen(!open);
        }}
      >
        ↳ Fork here
      </Button>
      {open ? (
        props.checking ? (
          <p className="fine" role="status">
            Looking for its model and sources …
          </p>
        ) : why === null ? (
          <>
            <p className="fine">
              A <Term id="fork">fork</Term> keeps everything before event {event + 1} and continues
              separately, next to the original.{note === null ? '' : ` ${note}`}
              {busy ? ' It can start once the current run has ended.' : ''}
            </p>
            <ul className="fork-list">
              {FORK_CHANGES.map((change) => (
                <Line key={change} change={change} {...props} />
              ))}
            </ul>
          </>
        ) : (
          <p className="fine">Cannot be forked here: {why}.</p>
        )
      ) : null}
    </div>
  );
};
