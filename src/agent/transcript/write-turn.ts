import type { PolicyTokenizer } from '../../policy/policy.ts';
import { inBlock, renderBoxed } from '../../records/protocol.ts';
import type { BlockKind, Dialect } from './dialects/dialect.ts';
import { spelling } from './dialects/names.ts';
import type { Tags } from './tags.ts';

/** One turn of a model as content: a thought, then a search or the answer. */
export interface Turn {
  thought: string;
  act: { search: string } | { answer: string };
}

/** A tag of the protocol, a text, or the token that ends a turn. */
type Piece = { tag: `<${BlockKind}>` | `</${BlockKind}>` } | { text: string } | 'end';

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
  return [{ text: dialect.id === 'react' ? `Thought: ${thought}\nAction: ` : `${thought}\n` }];
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

/** Pieces as ids; text between tags that are tokens of their own is encoded in one piece. */
function idsOf(tokenizer: PolicyTokenizer, tags: Tags, pieces: readonly Piece[]): number[] {
  const ids: number[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') ids.push(...tokenizer.encodeText(text));
    text = '';
  };
  const place = (id: number): void => {
    flush();
    ids.push(id);
  };
  for (const piece of pieces) {
    if (piece === 'end') place(tokenizer.endIds?.[0] ?? tokenizer.endOfText);
    else if ('text' in piece) text += piece.text;
    else {
      const special = tags.dialect ? undefined : tokenizer.specialId(piece.tag);
      if (special === undefined)
        text += tags.dialect ? spelling(tags.dialect)(piece.tag) : piece.tag;
      else place(special);
    }
  }
  flush();
  return ids;
}

/**
 * The token ids with which a model writes a turn in the format that `tags` are of; tags as text are cut as the tokenizer
 * cuts them in running text. Tags in the content are made harmless.
 * @param place whether it is the first turn; whether the chat template has opened its thought already
 */
export function turnIds(
  tokenizer: PolicyTokenizer,
  tags: Tags,
  { thought, act }: Turn,
  { first, opened }: { first: boolean; opened: boolean },
): number[] {
  const turn: Turn = {
    thought: tags.plain(thought),
    act: 'search' in act ? { search: tags.plain(act.search) } : { answer: tags.plain(act.answer) },
  };
  const pieces = tags.dialect
    ? dialectPieces(tags.dialect, turn, first)
    : protocolPieces(turn, tags.spelling === 'text');
  return idsOf(tokenizer, tags, opened && isThinkTag(pieces[0]) ? pieces.slice(1) : pieces);
}

/** The token ids of a turn that is given with its tags; a turn that ends without an act ends with the end of text. */
export function textIds(tokenizer: PolicyTokenizer, tags: Tags, text: string): number[] {
  const pieces = text
    .split(/(<\/?[a-z_]+>)/u)
    .map((part): Piece =>
      !tags.dialect && /^<.*>$/u.test(part) && tokenizer.specialId(part) !== undefined
        ? { tag: part as `<${BlockKind}>` }
        : { text: part },
    );
  return idsOf(tokenizer, tags, [...pieces, 'end']);
}

const isThinkTag = (piece: Piece | undefined): boolean =>
  typeof piece === 'object' && 'tag' in piece && piece.tag === '<think>';
