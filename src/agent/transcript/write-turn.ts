import type { PolicyChat, PolicyTokenizer } from '../../policy/policy.ts';
import { inBlock, renderBoxed } from '../../records/protocol.ts';
import { familyOf, type Family } from './tool-chat.ts';
import type { BlockKind, Dialect } from '../../recipes/parts/dialect.ts';
import { spelling } from './tag-names.ts';
import { HARMONY } from './dialects.ts';
import type { Tags } from './tags.ts';

/** One turn of a model as content: a thought, then a search or the answer. */
export interface Turn {
  thought: string;
  act: { search: string } | { answer: string };
}

/** A tag of the protocol, a text, what a chat template writes with its control tokens, or the token that ends a turn. */
type Piece =
  | { tag: `<${BlockKind}>` | `</${BlockKind}>` }
  | { text: string }
  | { control: string }
  | 'end';

const kindOf = ({ act }: Turn): 'search' | 'short_answer' =>
  'search' in act ? 'search' : 'short_answer';

const contentOf = ({ act }: Turn): string =>
  'search' in act ? inBlock(act.search) : renderBoxed(act.answer);

/** Blocks of the protocol's own tags, with blanks as the instruction shows them where tags are text. */
function protocolPieces(turn: Turn, text: boolean): Piece[] {
  const kind = kindOf(turn);
  const inside = text ? [{ text: ' ' }] : [];
  return [
    { tag: '<think>' },
    { text: inBlock(turn.thought) },
    ...inside,
    { tag: '</think>' },
    ...(text ? [{ text: '\n' }] : []),
    { tag: `<${kind}>` },
    { text: contentOf(turn) },
    ...inside,
    { tag: `</${kind}>` },
  ];
}

/** The thought in its block, or as prose where the format has no block for it. */
function thoughtPieces(dialect: Dialect, { thought, act }: Turn, first: boolean): Piece[] {
  if (dialect.searchesInThought)
    return [
      ...(first ? [{ tag: '<think>' } as const] : []),
      { text: ` ${thought} ` },
      ...('answer' in act ? [{ tag: '</think>' } as const, { text: '\n' }] : []),
    ];
  const block = dialect.marks.some(({ kind, close }) => kind === 'think' && close !== null);
  if (block)
    return [{ tag: '<think>' }, { text: ` ${thought} ` }, { tag: '</think>' }, { text: '\n' }];
  const [before, after] = dialect.thought ?? ['', '\n'];
  return [{ text: `${before}${thought}${after}` }];
}

function dialectPieces(dialect: Dialect, turn: Turn, first: boolean): Piece[] {
  const thought = thoughtPieces(dialect, turn, first);
  const { act } = turn;
  if ('answer' in act && dialect.answer === 'boxed-prose')
    return [
      ...thought,
      { text: `${dialect.phrase ?? 'The answer is'} \\boxed{${act.answer}}` },
      'end',
    ];
  const kind = kindOf(turn);
  const mark = dialect.marks.find((one) => one.kind === kind);
  const query = 'search' in act ? (dialect.writeQuery?.(act.search) ?? act.search) : '';
  const boxed = dialect.answer === 'boxed-block';
  const content = 'search' in act ? query : boxed ? renderBoxed(act.answer).trim() : act.answer;
  const tight = mark?.open.endsWith('[') ?? false;
  const after = mark?.close === null || tight ? '' : mark?.close.startsWith('<') ? ' ' : '\n';
  return [
    ...thought,
    { tag: `<${kind}>` },
    { text: `${tight ? '' : ' '}${content}${after}` },
    mark?.close == null ? 'end' : { tag: `</${kind}>` },
  ];
}

/** A call of the search tool as the models of a family write it. */
function callPieces(family: Family, query: string): Piece[] {
  const value = JSON.stringify(query);
  switch (family) {
    case 'llama3':
      return [{ text: `{"name": "search", "parameters": {"query": ${value}}}` }];
    case 'mistral':
      return [
        { control: '[TOOL_CALLS]' },
        { text: `[{"name": "search", "arguments": {"query": ${value}}, "id": "search000"}]` },
      ];
    case 'gemma':
      return [{ text: `\`\`\`tool_code\nsearch(query=${value})\n\`\`\`` }];
    case 'hermes':
      return [
        { control: '<tool_call>' },
        { text: `\n{"name": "search", "arguments": {"query": ${value}}}\n` },
        { control: '</tool_call>' },
      ];
  }
}

/** Families whose models write nothing before a call. */
const SILENT: readonly Family[] = ['llama3', 'mistral'];

/** A whole turn of a chat with tools; the last message is the answer alone. */
function messagePieces(family: Family, { thought, act }: Turn): Piece[] {
  const said: Piece[] = SILENT.includes(family)
    ? []
    : [{ control: '<think>' }, { text: `\n${thought}\n` }, { control: '</think>' }, { text: '\n' }];
  return [
    ...said,
    ...('search' in act ? callPieces(family, act.search) : [{ text: act.answer }]),
    'end',
  ];
}

/** A turn of gpt-oss, in its channels. */
function harmonyPieces({ thought, act }: Turn): Piece[] {
  const next: Piece[] =
    'search' in act
      ? [
          { control: '<|channel|>' },
          { text: 'commentary to=functions.search ' },
          { control: '<|constrain|>' },
          { text: 'json' },
          { control: '<|message|>' },
          { text: JSON.stringify({ query: act.search }) },
          { control: '<|call|>' },
        ]
      : [
          { control: '<|channel|>' },
          { text: 'final' },
          { control: '<|message|>' },
          { text: act.answer },
          { control: '<|return|>' },
        ];
  return [
    { control: '<|channel|>' },
    { text: 'analysis' },
    { control: '<|message|>' },
    { text: thought },
    { control: '<|end|>' },
    { control: '<|start|>' },
    { text: 'assistant' },
    ...next,
  ];
}

const SAID = 'FORAGE0SAID0HERE';

/** The token with which a checkpoint's template ends the model's turn; one of the tokenizer's where it has no template. */
function turnEnd(tokenizer: PolicyTokenizer, rendered: string): number {
  const { endIds = [], endOfText } = tokenizer;
  const from = rendered.indexOf(SAID);
  const placed = endIds
    .map((id) => ({ id, at: from < 0 ? -1 : rendered.indexOf(tokenizer.decode([id]), from) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at);
  return placed[0]?.id ?? endIds[0] ?? endOfText;
}

/** A conversation in which the model has spoken; empty without a template, or where it refuses one. */
function renderedWith(chat: PolicyChat | undefined): string {
  try {
    const user = { role: 'user' as const, content: 'FORAGE0USER0HERE' };
    return chat?.render([user, { role: 'assistant', content: SAID }, user]) ?? '';
  } catch {
    return '';
  }
}

const isThinkTag = (piece: Piece | undefined): boolean =>
  typeof piece === 'object' &&
  (('tag' in piece && piece.tag === '<think>') ||
    ('control' in piece && piece.control === '<think>'));

const equal = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

/** Writes turns in the tokens of a model, as it would write them in the format that `tags` are of. */
export class TurnWriter {
  readonly #tokenizer: PolicyTokenizer;
  readonly #tags: Tags;
  readonly #rendered: string;

  constructor(tokenizer: PolicyTokenizer, tags: Tags, chat?: PolicyChat) {
    this.#tokenizer = tokenizer;
    this.#tags = tags;
    this.#rendered = renderedWith(chat);
  }

  /**
   * The ids of a turn. Tags as text are cut as the tokenizer cuts them in running text; tags in the content are made
   * harmless.
   * @param place whether it is the first turn; whether the chat template has opened its thought already
   */
  turn({ thought, act }: Turn, { first, opened }: { first: boolean; opened: boolean }): number[] {
    const plain = (text: string): string => this.#tags.plain(text);
    const pieces = this.#pieces(
      {
        thought: plain(thought),
        act: 'search' in act ? { search: plain(act.search) } : { answer: plain(act.answer) },
      },
      first,
    );
    return this.#idsOf(opened && isThinkTag(pieces[0]) ? pieces.slice(1) : pieces);
  }

  /** The ids of a turn that is given with its tags; one that ends without an act ends with the end of a turn. */
  text(text: string): number[] {
    const { dialect } = this.#tags;
    const marks =
      dialect?.answer === 'message' ? /(<[^<>\s]+>|\[TOOL_CALLS\])/u : /(<\/?[a-z_]+>)/u;
    const pieces = text.split(marks).map((part, i): Piece => {
      if (i % 2 === 0) return { text: part };
      if (dialect) return dialect.answer === 'message' ? { control: part } : { text: part };
      return this.#tokenizer.specialId(part) === undefined
        ? { text: part }
        : { tag: part as `<${BlockKind}>` };
    });
    return this.#idsOf([...pieces, 'end']);
  }

  #pieces(turn: Turn, first: boolean): Piece[] {
    const { dialect, spelling: spelt } = this.#tags;
    if (!dialect) return protocolPieces(turn, spelt === 'text');
    if (dialect.answer !== 'message') return dialectPieces(dialect, turn, first);
    return dialect === HARMONY
      ? harmonyPieces(turn)
      : messagePieces(familyOf(this.#rendered), turn);
  }

  /** Text between tokens of their own is encoded in one piece. */
  #idsOf(pieces: readonly Piece[]): number[] {
    const tokenizer = this.#tokenizer;
    const ids: number[] = [];
    let text = '';
    const flush = (): void => {
      if (text !== '') ids.push(...tokenizer.encodeText(text));
      text = '';
    };
    const place = (own: readonly number[], spelt: string): void => {
      if (equal(own, tokenizer.encodeText(spelt))) {
        text += spelt;
        return;
      }
      flush();
      ids.push(...own);
    };
    for (const piece of pieces) {
      if (piece === 'end') {
        flush();
        ids.push(turnEnd(tokenizer, this.#rendered));
      } else if ('text' in piece) text += piece.text;
      else if ('control' in piece) {
        const { control } = piece;
        place(tokenizer.encodeTemplate?.(control) ?? tokenizer.encodeText(control), control);
      } else {
        const special = this.#tags.dialect ? undefined : tokenizer.specialId(piece.tag);
        const { dialect } = this.#tags;
        if (special === undefined) text += dialect ? spelling(dialect)(piece.tag) : piece.tag;
        else place([special], piece.tag);
      }
    }
    flush();
    return ids;
  }
}
