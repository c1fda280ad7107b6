import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { ablationsOf } from '../../../evaluate/systems/ablation-picture.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';
import { labelled } from '../../kit/labelled.tsx';
import { MeasuredClaims } from '../../kit/MeasuredClaims.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';
import type { SystemEntry } from './system-groups.ts';

/** Whether it has removable parts. */
const hasParts = (recipe: Recipe): boolean => ablationsOf(recipe).length > 0;

interface SystemCardProps {
  entry: SystemEntry;
  ticked: boolean;
  tick: (entry: SystemEntry, ticked: boolean) => void;
  /** Edits a copy, or a custom system. */
  edit: (entry: SystemEntry) => void;
  /** Selects it with its ablations. */
  ablate: (entry: SystemEntry) => void;
}

/** A system: its name, paper and parts. */
export const SystemCard = memo(({ entry, ticked, tick, edit, ablate }: SystemCardProps) => {
  const { title, summary, recipe, custom } = entry;
  const { about } = recipe;
  return (
    <li className={ticked ? 'system-card ticked' : 'system-card'} data-system={entry.id}>
      <Checkbox
        size="xs"
        {...labelled(title)}
        checked={ticked}
        onChange={(event) => tick(entry, event.currentTarget.checked)}
      />
      <p>
        <Terms>{summary}</Terms>
      </p>
      {about ? (
        <p className="system-parts">
          {about.parts.map((part) => (
            <span key={part} className="badge">
              <span>
                <Terms>{part}</Terms>
              </span>
            </span>
          ))}
        </p>
      ) : null}
      <p className="system-foot fine">
        {custom ? (
          <span>from {recipe.title}</span>
        ) : about ? (
          <a href={`https://arxiv.org/abs/${about.paper}`} target="_blank" rel="noreferrer">
            arXiv {about.paper}
          </a>
        ) : null}
        <button
          type="button"
          className="link"
          aria-label={custom ? `Change ${title}` : `Duplicate and change ${title}`}
          onClick={() => edit(entry)}
        >
          {custom ? 'change, share' : 'duplicate, change'}
        </button>
        {custom === null && hasParts(recipe) ? (
          <button
            type="button"
            className="link"
            aria-label={`Select ${title} with its ablations`}
            title="Also selects this system without each of its parts"
            onClick={() => ablate(entry)}
          >
            + ablations
          </button>
        ) : null}
      </p>
      {about ? (
        <details>
          <summary>differences from the paper, expected effect</summary>
          <p className="fine">
            <b>Expected effect:</b> <Terms>{about.expectedEffect}</Terms>
          </p>
          <MeasuredClaims recipe={recipe.id} />
          {about.published ? (
            <p className="fine">
              <b>Published:</b>{' '}
              <Terms>{`${about.published.figure} on ${about.published.benchmark}, ${about.published.model}`}</Terms>
            </p>
          ) : null}
          {about.differences.length > 0 ? (
            <ul className="differences">
              {about.differences.map((difference) => (
                <li key={difference} className="fine">
                  <Terms>{difference}</Terms>
                </li>
              ))}
            </ul>
          ) : null}
        </details>
      ) : null}
    </li>
  );
});
