import { Button, Menu } from '@mantine/core';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import type { DownloadKind } from '../../lab/contract/training.ts';
import { formatBytes } from '../kit/words/format.ts';
import { hasAdapter } from '../train/run/run-words.ts';
import { cancelDownload, downloadOf } from '../train/store/download-actions.ts';
import { useTrain } from '../train/store/train-store.ts';

/** Files for llama.cpp and what is built on it. */
const GGUF_KINDS: readonly { what: DownloadKind; name: string; says: string }[] = [
  {
    what: 'gguf-q8_0',
    name: 'Merged model, Q8_0',
    says: 'Model and adapter in one file, 8 bits per weight: for Ollama and LM Studio',
  },
  {
    what: 'gguf-f16',
    name: 'Merged model, F16',
    says: 'Twice as large, and as exact as most models are published',
  },
  {
    what: 'gguf-adapter',
    name: 'Adapter only (LoRA)',
    says: 'Small; llama.cpp applies it to the base model with --lora',
  },
];

/** What was trained, as files. One is made at a time. */
export const Downloads = ({ run }: { run: RunRecord }) => {
  const busy = useTrain(({ download }) => download !== null);
  const button = (what: DownloadKind, name: string, ready: boolean) => (
    <Button
      size="xs"
      variant="default"
      disabled={!ready || busy}
      onClick={() => void downloadOf(run.id, what)}
    >
      {name}
    </Button>
  );
  return (
    <>
      {button('peft', 'Adapter (PEFT, zip)', hasAdapter(run))}
      {button('merged', 'Merged model (tar)', hasAdapter(run))}
      <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            disabled={!hasAdapter(run) || busy}
            title="For llama.cpp, Ollama and LM Studio"
          >
            Download as GGUF
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {GGUF_KINDS.map(({ what, name, says }) => (
            <Menu.Item key={what} onClick={() => void downloadOf(run.id, what)}>
              {name}
              <div className="fine">{says}</div>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {button('metrics', 'Metrics (CSV)', true)}
    </>
  );
};

/** How far the run's download is. */
export const Downloading = ({ run }: { run: RunRecord }) => {
  const download = useTrain((state) => (state.download?.run === run.id ? state.download : null));
  if (!download) return null;
  const { done, total, cancelling } = download;
  return (
    <p className="note whole" role="status">
      {total > 0
        ? `Making the download: ${formatBytes(done)} of ${formatBytes(total)}`
        : 'Making the download …'}{' '}
      <progress
        className="bar thin"
        aria-label="Bytes made"
        {...(total > 0 && { max: total, value: done })}
      />{' '}
      <button
        type="button"
        className="link"
        disabled={cancelling}
        onClick={() => void cancelDownload()}
      >
        {cancelling ? 'Stopping …' : 'Cancel'}
      </button>
    </p>
  );
};
