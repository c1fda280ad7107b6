import { create } from 'zustand';
import type { Question } from '../../../records/records.ts';
import type { RolloutUpdate } from '../../../records/updates.ts';
import type { RunState } from '../../../lab/contract/ask.ts';
import type { RunRequest } from '../../../lab/contract/settings.ts';
import { applyUpdates, EMPTY_TABLE, type RolloutTable } from './apply-updates.ts';

/** Where rollouts on the screen come from that were not asked for here: a step of training. */
export interface RolloutSource {
  runId: string;
  /** Name of the training run. */
  name: string;
  step: number;
  /** `groupId` of the rollouts. */
  group: string;
}

/** The run on the screen: what was asked, its state, and its rollouts. */
interface RunStore {
  request: RunRequest | null;
  /** The question of the run with its gold, where the world knows it. */
  question: Question | null;
  run: RunState | null;
  /** Names of the question that no passage in use mentions. */
  unknownNames: readonly string[];
  table: RolloutTable;
  /** A run was asked for before there was a question to ask. */
  wanted: boolean;
  /** Set while the rollouts are those of a training step; their tokens are coloured by advantage. */
  source: RolloutSource | null;
  begin: (request: RunRequest, question: Question | null) => void;
  setRun: (run: RunState) => void;
  setUnknownNames: (runId: string, names: readonly string[]) => void;
  apply: (updates: readonly RolloutUpdate[]) => void;
  clear: () => void;
}

export const useRun = create<RunStore>()((set) => ({
  request: null,
  question: null,
  run: null,
  unknownNames: [],
  table: EMPTY_TABLE,
  wanted: false,
  source: null,
  begin: (request, question) =>
    set({
      source: null,
      request,
      question,
      unknownNames: [],
      table: EMPTY_TABLE,
      run: {
        runId: request.runId,
        status: 'waiting',
        tokens: 0,
        tokensPerSecond: 0,
        failure: null,
      },
    }),
  setRun: (run) => set((state) => (state.request?.runId === run.runId ? { run } : {})),
  setUnknownNames: (runId, names) =>
    set((state) => (state.request?.runId === runId ? { unknownNames: names } : {})),
  apply: (updates) => set((state) => ({ table: applyUpdates(state.table, updates) })),
  clear: () =>
    set({
      request: null,
      question: null,
      run: null,
      unknownNames: [],
      table: EMPTY_TABLE,
      source: null,
    }),
}));

export const isRunning = (run: RunState | null): boolean =>
  run?.status === 'waiting' || run?.status === 'running';
