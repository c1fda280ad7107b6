import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ImportError,
  roundsOf,
  writeRollout,
  type ImportedRollout,
} from '../../../src/data/rollouts/index.ts';
import { faultOf } from '../../../src/data/rollouts/schema.ts';
import {
  lintRollout,
  lintRun,
  readFactsOf,
  summaryOf,
} from '../../../src/evaluate/inspect/index.ts';
import { FOREIGN } from '../../fixtures/inspect/records.ts';
import { ownLines, readAll } from './helpers.ts';

/** Every record that an importer lets through is one that every reader of the inspector can read. */
function readEverything(rollout: ImportedRollout): void {
  expect(faultOf(JSON.parse(writeRollout(rollout, 'forage')))).toBeNull();
  for (const layout of ['verl', 'rl-logging-board'] as const)
    expect(() => JSON.parse(writeRollout(rollout, layout))).not.toThrow();
  for (const { segment, start, end } of roundsOf(rollout).flatMap(({ passages }) => passages))
    expect(rollout.segments[segment]!.text.slice(start, end)).toHaveLength(end - start);
  readFactsOf(rollout);
  lintRollout(rollout);
  lintRun([summaryOf(rollout)]);
}

const seen = { rollout: 0, fault: 0 };

async function survives(source: Blob): Promise<void> {
  try {
    for (const item of await readAll(source)) {
      seen[item.kind] += 1;
      if (item.kind === 'fault') expect(item.reason).not.toBe('');
      else readEverything(item.rollout);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
  }
}

const records = [
  ...Object.values(FOREIGN),
  ...ownLines().map((line) => JSON.parse(line) as object),
];
const record = fc.constantFrom(...records);

/** A value in a place of a record, at any depth, replaced by another. */
function mutate(value: unknown, path: readonly number[], other: unknown): unknown {
  if (path.length === 0 || typeof value !== 'object' || value === null) return other;
  const [head, ...rest] = path as [number, ...number[]];
  if (Array.isArray(value)) {
    const at = head % Math.max(1, value.length);
    return value.map((item, i): unknown => (i === at ? mutate(item, rest, other) : item));
  }
  const keys = Object.keys(value);
  const key = keys[head % Math.max(1, keys.length)] ?? 'x';
  return { ...value, [key]: mutate((value as Record<string, unknown>)[key], rest, other) };
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, -1, 1e308, '', '__proto__', [], {}, '<information>', '\\boxed{{', '\u0000'),
);

test('values replaced by others: read or refused by name, never thrown', async () => {
  await fc.assert(
    fc.asyncProperty(
      record,
      fc.array(fc.tuple(fc.array(fc.nat(1000), { minLength: 1, maxLength: 5 }), odd), {
        minLength: 1,
        maxLength: 4,
      }),
      async (original, changes) => {
        const changed = changes.reduce<unknown>(
          (value, [path, other]) => mutate(value, path, other),
          original,
        );
        await survives(new Blob([JSON.stringify(changed)]));
      },
    ),
    { numRuns: 2000 },
  );
  // Neither outcome is rare: the test looks at both.
  expect(Math.min(seen.rollout, seen.fault)).toBeGreaterThan(200);
}, 240_000);

test('bytes flipped, cut and inserted', async () => {
  const encoder = new TextEncoder();
  await fc.assert(
    fc.asyncProperty(
      record,
      fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 3 }), fc.nat(4)), {
        minLength: 1,
        maxLength: 5,
      }),
      async (original, edits) => {
        let bytes: number[] = [...encoder.encode(JSON.stringify(original))].slice(0, 20_000);
        for (const [at, put, drop] of edits) {
          const place = at % (bytes.length + 1);
          bytes = [...bytes.slice(0, place), ...put, ...bytes.slice(place + drop)];
        }
        await survives(new Blob([Uint8Array.from(bytes)]));
      },
    ),
    { numRuns: 1000 },
  );
}, 240_000);
