import { memo, useEffect } from 'react';
import type { Rollout, Segment } from '../../records/rollout.ts';
import { distributionWords } from '../kit/words/distribution-words.ts';
import { formatNumber, formatShare, plural } from '../kit/words/format.ts';
import { useAsk } from './store/ask-store.ts';
import { writerOf } from '../kit/tokens/layout.ts';
import {
  requestPieces,
  trueToken,
  useKnowsIds,
  useTagNames,
  visible,
} from '../kit/tokens/pieces.ts';
import { WRITER_NAMES } from '../kit/tokens/TokenStrip.tsx';
import { useSession } from '../kit/session-store.ts';

/** Longer segments are cut in the text view; the strip shows all tokens. */
const MOST_SHOWN = 600;

/** A segment as token buttons; the tint of a policy token shows its probability. */
export const SegmentTokens = memo(
  (props: { rollout: Rollout; index: number; segment: Segment; chosen?: number }) => {
    const { segment, index, rollout } = props;
    const known = useKnowsIds(rollout);
    const texts = useSession((state) => state.pieces);
    const writer = writerOf(segment);
    const own = segment.tokens;
    useEffect(() => {
      // Token ids are decoded by the policy’s tokenizer, and only if that policy wrote them.
      if (known && !own) void requestPieces(segment.ids);
    }, [known, own, segment.ids]);
    const names = useTagNames(rollout);
    const textOf = (id: number, token: number) => own?.[token] ?? (known ? texts[id] : undefined);
    const shown = segment.ids.slice(0, MOST_SHOWN);
    return (
      <div className="segment-tokens">
        <h3>
          <i className={`swatch who-${writer}`} aria-hidden="true" /> {segment.role},{' '}
          {own
            ? `${plural(segment.ids.length, 'piece')}, not tokens`
            : plural(segment.ids.length, 'token')}
          , {WRITER_NAMES[writer]}
          {segment.mask === 0 ? ', masked' : ''}
        </h3>
        <div className="token-text">
          {shown.map((id, token) => {
            const text = textOf(id, token);
            const name = text === undefined ? undefined : names.get(text);
            return (
              <button
                key={token}
                type="button"
                className={`token who-text-${writer}${token === props.chosen ? ' chosen' : ''}`}
                style={{ opacity: opacityOf(segment.logprobs?.[token]) }}
                title={name === undefined || text === undefined ? undefined : trueToken(text)}
                onClick={() =>
                  useAsk
                    .getState()
                    .select({ kind: 'token', rolloutId: rollout.id, segment: index, token })
                }
              >
                {text === undefined ? `#${id}` : visible(name ?? text)}
              </button>
            );
          })}
          {segment.ids.length > MOST_SHOWN ? ` and ${segment.ids.length - MOST_SHOWN} more` : ''}
        </div>
      </div>
    );
  },
);

/** Probable tokens are paler, improbable ones are in full colour; contrast always stays readable. */
const opacityOf = (logprob: number | undefined): number =>
  logprob === undefined ? 1 : 1 - 0.15 * Math.exp(logprob);

/**
 * A token with its numbers, and its segment around it.
 * @param props.segment index
 * @param props.token index within it
 */
export const TokenDetails = (props: { rollout: Rollout; segment: number; token: number }) => {
  const segment = props.rollout.segments[props.segment];
  const id = segment?.ids[props.token];
  const known = useKnowsIds(props.rollout);
  const asked = useSession((state) => (id === undefined || !known ? undefined : state.pieces[id]));
  const own = segment?.tokens?.[props.token];
  const names = useTagNames(props.rollout);
  const text = own ?? asked;
  const name = text === undefined ? undefined : names.get(text);
  if (!segment || id === undefined) return null;
  const logprob = segment.logprobs?.[props.token];
  const entropy = segment.entropies?.[props.token];
  const writer = writerOf(segment);
  const missing =
    writer === 'policy'
      ? 'not reported by the model'
      : 'none: the model read it, but did not write it';
  return (
    <>
      <h2>
        {own === undefined ? 'Token' : 'Piece'} “
        {text === undefined ? `#${id}` : visible(name ?? text)}”
      </h2>
      <dl className="pairs">
        <dt>id</dt>
        <dd>{id}</dd>
        {name === undefined ? null : (
          <>
            <dt>token of the model</dt>
            <dd>{text}, shown under its name in the recipe</dd>
          </>
        )}
        <dt>written by</dt>
        <dd>
          <i className={`swatch who-${writer}`} aria-hidden="true" /> {WRITER_NAMES[writer]}
        </dd>
        <dt>role</dt>
        <dd>{segment.role}</dd>
        <dt>log-probability</dt>
        <dd>{logprob === undefined ? missing : formatNumber(logprob)}</dd>
        <dt>probability</dt>
        <dd>{logprob === undefined ? 'none' : formatShare(Math.exp(logprob))}</dd>
        <dt>entropy</dt>
        <dd>{entropy === undefined ? missing : `${formatNumber(entropy)} nat`}</dd>
        {logprob === undefined ? null : (
          <>
            <dt>these are of</dt>
            <dd>{distributionWords(props.rollout.policy)}</dd>
          </>
        )}
        <dt>loss mask</dt>
        <dd>{segment.mask === 1 ? '1, trained' : '0, not trained'}</dd>
      </dl>
      <SegmentTokens
        rollout={props.rollout}
        index={props.segment}
        segment={segment}
        chosen={props.token}
      />
    </>
  );
};
