import type { Recipe } from '../../../recipes/parts/recipe.ts';
import type { Switch } from '../../../recipes/switches/switch.ts';
import { MeasuredClaims } from '../../kit/MeasuredClaims.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** A sentence with setting names in backticks. */
export const Sentence = ({ text }: { text: string }) =>
  text
    .split('`')
    .map((part, at) =>
      at % 2 === 1 ? <code key={at}>{part}</code> : <Terms key={at}>{part}</Terms>,
    );

/** What a recipe or training switch takes from its paper, how it differs, and measured results. */
export const AboutPaper = ({
  id,
  about,
}: {
  id: string;
  about: NonNullable<Recipe['about']> | Switch['about'];
}) => (
  <dl>
    <dt>Parts</dt>
    <dd>
      <Terms>{about.parts.join('; ')}</Terms>
    </dd>
    <dt>Differences from the paper</dt>
    {about.differences.map((difference) => (
      <dd key={difference}>
        <Sentence text={difference} />
      </dd>
    ))}
    {about.published ? (
      <>
        <dt>Published</dt>
        <dd>
          <Terms>{`${about.published.figure} on ${about.published.benchmark}, ${about.published.model}.`}</Terms>{' '}
          <span className="fine">Not comparable with the numbers here.</span>
        </dd>
      </>
    ) : null}
    <dt>What the method should show</dt>
    <dd>
      <Terms>{about.expectedEffect}</Terms>
      <MeasuredClaims recipe={id} />
    </dd>
  </dl>
);
