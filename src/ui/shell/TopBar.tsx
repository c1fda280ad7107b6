import { COMMAND_KEY } from '../kit/page/command-key.ts';
import { ActionIcon, useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { Icon, type IconName } from '../kit/Icon.tsx';
import { toggleDialog, useSession } from '../kit/session-store.ts';
import { togglePanel, useAsk } from '../ask/store/ask-store.ts';
import { ASK } from '../ask/store/permalink.ts';
import { RAIL } from './places.tsx';

/** The mark: a question that branches into rollouts, one of which found the berry. The icon in `index.html` is the same. */
const Mark = () => (
  <svg className="mark" width={18} height={18} viewBox="0 0 16 16" aria-hidden="true">
    <rect width={16} height={16} rx={4} fill="#4b3bb3" />
    <path
      d="M2.5 8h2.6M5.1 8c3 0 2.4-4.4 5-4.4M5.1 8h5M5.1 8c3 0 2.4 4.4 5 4.4"
      fill="none"
      stroke="#fff"
      strokeWidth={1.4}
      strokeLinecap="round"
    />
    <circle cx={12} cy={3.6} r={1.5} fill="none" stroke="#fff" strokeWidth={1.2} />
    <circle cx={12.2} cy={8} r={2.1} fill="#ffd25e" />
    <circle cx={12} cy={12.4} r={1.5} fill="none" stroke="#fff" strokeWidth={1.2} />
  </svg>
);

/** A button with an icon or a character; `pressed` for toggles. */
const Tool = (props: {
  label: string;
  icon?: IconName;
  sign?: string;
  pressed?: boolean | undefined;
  onClick: () => void;
}) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={props.label}
    aria-pressed={props.pressed}
    title={props.label}
    // As wide as its sign, which may be a word.
    {...(props.sign !== undefined && { w: 'auto', miw: 28, px: 6 })}
    onClick={props.onClick}
  >
    {props.icon ? (
      <Icon name={props.icon} />
    ) : (
      <span aria-hidden="true" className="tool-sign">
        {props.sign}
      </span>
    )}
  </ActionIcon>
);

/** Pages that are not in the rail. */
const OFF_RAIL: ReadonlyMap<string, string> = new Map([['cluster', 'Corpus · Clusters']]);

/** The current page; on Ask also recipe and seed, or the run and step of the rollouts. */
const Place = () => {
  const [ask] = useRoute(ASK);
  const request = useAsk((state) => state.request);
  const source = useAsk((state) => state.source);
  const asked = request && ask ? request.settings : null;
  const recipe = asked ? ` · ${asked.recipe}` : '';
  // Rollouts of a training step do not use the form’s seed.
  const seed = !asked
    ? ''
    : source
      ? 'step' in source
        ? ` · step ${source.step}`
        : ''
      : ` · seed ${asked.seed}`;
  const [path] = useLocation();
  const [, page = ''] = path.split('/');
  const name =
    RAIL.find((route) => route.path === `/${page}`)?.name ?? OFF_RAIL.get(page) ?? 'Forage';
  return (
    <div className="place">
      <Mark />
      <b>Forage</b> <span className="fine ellipsis">{`${name}${recipe}${seed}`}</span>
    </div>
  );
};

const ON_WEBGPU =
  'The address restores question, recipe, settings and step. On WebGPU the same seed may give different tokens, because GPUs round differently; on the CPU (WASM) the same address gives exactly the same rollouts.';

/** Limit of reproducibility on a GPU. */
const RepeatNote = () => {
  const device = useSession((state) => state.device?.device);
  return device === 'webgpu' ? (
    <span className="fine repeat-note" title={ON_WEBGPU} data-testid="repeat-note">
      ≈ on WebGPU; exact repeats on WASM only
    </span>
  ) : null;
};

/** Copies the permalink, with a short confirmation. */
const CopyAddress = () => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      // Clipboard access denied; the address bar has the same text.
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const label = copied ? 'Address copied' : 'Copy the address of this view';
  return (
    <>
      <Tool
        label={label}
        {...(copied ? { sign: '✓' } : { icon: 'link' as const })}
        onClick={() => void copy()}
      />
      <span className="visually-hidden" role="status">
        {copied ? label : ''}
      </span>
    </>
  );
};

/** The bar over every page: title and global actions; on Ask the panel toggles and the permalink. */
export const TopBar = ({ toggleTheme }: { toggleTheme: () => void }) => {
  const setupOpen = useAsk((state) => state.setupOpen);
  const detailsOpen = useAsk((state) => state.detailsOpen);
  const [ask] = useRoute(ASK);
  const scheme = useComputedColorScheme('light');
  return (
    <header className="topbar">
      <Place />
      <span className="grow" />
      {ask ? (
        <>
          <Tool
            label="Setup (s)"
            icon="left"
            pressed={setupOpen}
            onClick={() => togglePanel('setupOpen')}
          />
          <Tool
            label="Details (d)"
            icon="right"
            pressed={detailsOpen}
            onClick={() => togglePanel('detailsOpen')}
          />
          <RepeatNote />
          <CopyAddress />
        </>
      ) : null}
      <Tool
        label={scheme === 'dark' ? 'Light (l)' : 'Dark (l)'}
        icon={scheme === 'dark' ? 'sun' : 'moon'}
        onClick={toggleTheme}
      />
      <Tool
        label={`All commands (${COMMAND_KEY})`}
        sign={COMMAND_KEY}
        onClick={() => toggleDialog('palette')}
      />
      <Tool label="Keys and words (?)" sign="?" onClick={() => toggleDialog('keys')} />
    </header>
  );
};
