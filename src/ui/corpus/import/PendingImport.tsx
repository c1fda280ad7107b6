import { Button, Checkbox, NumberInput, TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import type { Preview } from '../../../formats/import/collect.ts';
import {
  CHUNKING_DEFAULTS,
  type Container,
  type Format,
} from '../../../formats/import/values/types.ts';
import { formatBytes, formatCount, plural } from '../../kit/words/format.ts';
import {
  changeChoice,
  changePending,
  dropPending,
  startImport,
} from '../store/collections-actions.ts';
import { useCollections, type PendingImport as Pending } from '../store/collections-store.ts';
import { countWords } from '../store/count-words.ts';
import { PreviewItems } from './PreviewItems.tsx';
import { formatsOf, itemSchema, SCHEMAS } from '../../../formats/import/schemas/list.ts';

/** Names of formats, and which formats a file may be read as. */

const CONTAINER_WORDS: Readonly<Record<Container, string>> = {
  jsonl: 'JSON lines',
  'json-array': 'JSON list',
  'json-object': 'JSON object',
  csv: 'CSV',
  tsv: 'TSV',
  parquet: 'parquet',
  markdown: 'Markdown',
  text: 'plain text',
};

/** “HotpotQA, JSON list”: the items, then the syntax. */
export const formatWords = ({ container, schema }: Format): string =>
  `${itemSchema(schema).name}, ${CONTAINER_WORDS[container]}`;

/** Every format that a file may be read as. */
export const FORMATS: readonly Format[] = formatsOf(SCHEMAS);

/** One word per format, for option values. */
export const formatKey = ({ container, schema }: Format): string => `${container}/${schema}`;

/** The preview, if it is loaded and the file was readable. */
const previewOf = ({ preview }: Pending): Preview | null =>
  preview?.status === 'ready' ? preview.preview : null;

/** Option value for a new collection. */
const NEW = 'new';

/** The target collection: a new one with a name, or an existing one. Duplicates are skipped. */
const Target = ({ pending }: { pending: Pending }) => {
  const collections = useCollections((state) => state.collections);
  return (
    <>
      <Select
        size="xs"
        label="Import into"
        value={pending.into ?? NEW}
        data={[
          { value: NEW, label: 'a new collection' },
          ...collections.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          changePending({ into: value === NEW ? null : value })
        }
      />
      {pending.into === null ? (
        <TextInput
          size="xs"
          label="Name"
          maxLength={200}
          value={pending.name}
          onChange={(event) => changePending({ name: event.currentTarget.value })}
        />
      ) : null}
    </>
  );
};

/** How plain text is cut, and whether contexts are imported; shown only where it matters. */
const Reading = ({ pending }: { pending: Pending }) => {
  const { choice, files } = pending;
  const preview = previewOf(pending);
  // Only plain text is cut; passages of JSON or CSV stay whole.
  const prose = preview?.format.schema === 'prose' || files.length > 1;
  // Only the previewed file was read; the others may have other formats.
  const asks = preview?.format.kind === 'questions' || files.length > 1;
  const chunking = choice.chunking ?? CHUNKING_DEFAULTS;
  const change = (part: Partial<typeof chunking>) =>
    changeChoice({ chunking: { ...chunking, ...part } });
  return (
    <>
      {files.length === 1 ? (
        <Select
          size="xs"
          label="Read as"
          value={choice.format ? formatKey(choice.format) : ''}
          data={[
            {
              value: '',
              label:
                preview && !choice.format ? formatWords(preview.format) : 'detect automatically',
            },
            ...FORMATS.map((format) => ({ value: formatKey(format), label: formatWords(format) })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const format = FORMATS.find((one) => formatKey(one) === value);
            // "Detect" is an absent format, so that each file is
            // detected separately.
            const { format: _, ...rest } = choice;
            changePending({ choice: format ? { ...rest, format } : rest });
          }}
        />
      ) : null}
      {prose ? (
        <>
          <NumberInput
            size="xs"
            className="narrow"
            label="Words per passage"
            min={5}
            max={5000}
            clampBehavior="blur"
            value={chunking.maxWords}
            onChange={(value) =>
              // A number may be too small while it is typed; it is corrected on blur.
              typeof value === 'number' && value >= 1 && change({ maxWords: Math.round(value) })
            }
          />
          <NumberInput
            size="xs"
            className="narrow"
            label="Overlap (sentences)"
            min={0}
            max={20}
            clampBehavior="blur"
            value={chunking.overlapSentences}
            onChange={(value) =>
              typeof value === 'number' &&
              value >= 0 &&
              change({ overlapSentences: Math.round(value) })
            }
          />
        </>
      ) : null}
      {asks ? (
        <Checkbox
          size="xs"
          label="Import the contexts of questions as passages"
          checked={choice.contexts ?? true}
          onChange={(event) => changeChoice({ contexts: event.currentTarget.checked })}
        />
      ) : null}
    </>
  );
};

/** The files to import; the previewed one can be chosen. */
const Files = ({ pending: { files, shown, leftOut } }: { pending: Pending }) => (
  <div className="offered">
    {files.length > 1 ? (
      <Select
        size="xs"
        aria-label="File in the preview"
        value={String(shown)}
        // Ten thousand options would be unusable.
        data={files.slice(0, 1000).map(({ name, file }, i) => ({
          value: String(i),
          label: `${name} (${formatBytes(file.size)})`,
        }))}
        onChange={(event) => changePending({ shown: Number(event.currentTarget.value) })}
      />
    ) : (
      <b className="ellipsis">{files[0]?.name}</b>
    )}
    <span className="fine">
      {files.length > 1 ? `${plural(files.length, 'file')}, ` : ''}
      {formatBytes(files.reduce((sum, { file }) => sum + file.size, 0))}
      {leftOut > 0 ? `; ${plural(leftOut, 'file')} of other kinds left out` : ''}
    </span>
  </div>
);

/** Format, number of items, and what will be imported. */
const Found = ({ pending }: { pending: Pending }) => {
  const { preview } = pending;
  if (!preview || preview.status === 'cancelled') return <p role="status">Reading the file …</p>;
  if (preview.status === 'failed') {
    const empty = preview.message.startsWith('the file is empty');
    const advice = empty ? 'Choose another file.' : 'Choose another format or another file.';
    return (
      <p role="alert" className="tone-bad">
        ⚠ {empty ? `T${preview.message.slice(1)}` : `This file cannot be read: ${preview.message}`}.{' '}
        {pending.files.length > 1 ? 'The other files can be imported.' : advice}
      </p>
    );
  }
  const { items, progress, format } = preview.preview;
  const about = `${items.exact ? '' : '≈ '}${plural(items.count, 'item')}`;
  const part =
    progress.items < items.count ? `; of the first ${formatCount(progress.items)}: ` : ': ';
  return (
    <>
      <p data-testid="found">
        <b>{formatWords(format)}</b>, {about}
        {part}
        {countWords(progress.passages, progress.questions)}
        {progress.duplicates > 0 ? `, ${plural(progress.duplicates, 'duplicate')} to skip` : ''}
        {progress.rejected > 0 ? (
          <span className="tone-bad">, {formatCount(progress.rejected)} to reject</span>
        ) : (
          ', none to reject'
        )}
        .
      </p>
      {/* Recognised by its size, beginning and end, not by its name. */}
      {preview.sameFile.length > 0 ? (
        <p className="warn">
          This file was already imported into{' '}
          {preview.sameFile.map((name) => `“${name}”`).join(', ')}.
        </p>
      ) : null}
    </>
  );
};

/** The preview of an import, before anything is stored. */
export const PendingImport = () => {
  const pending = useCollections((state) => state.pending);
  const busy = useCollections((state) => state.job !== null);
  if (!pending) return null;
  const preview = previewOf(pending);
  // Several files are imported even if the previewed one is empty.
  const nothing =
    pending.files.length === 1 && preview?.questions.length === 0 && preview.passages.length === 0;
  // A single file must be previewed first; with several, unreadable files are reported after the import.
  const ready = pending.files.length > 1 || (preview !== null && !nothing);
  return (
    <section className="pending" aria-label="Import">
      <Files pending={pending} />
      <Found pending={pending} />
      <div className="pending-fields">
        <Reading pending={pending} />
        <Target pending={pending} />
      </div>
      {preview ? <PreviewItems preview={preview} /> : null}
      <div className="pending-actions">
        <Button size="xs" disabled={!ready || busy} onClick={() => void startImport()}>
          Import
        </Button>
        <Button size="xs" variant="default" onClick={dropPending}>
          Cancel
        </Button>
      </div>
    </section>
  );
};
