import { vi } from 'vitest';
import { connectLab, type LabConnection, type LabUser } from '../../../src/ui/lab/connection.ts';
import type { AskMessage } from '../../../src/lab/contract/ask.ts';

/** A lab that answers as a test says and writes down what it was asked: `['train.pause', 'run-a']`. */

type Call = [name: string, ...args: unknown[]];

/** Answers by host and call; a call without one is answered with nothing. */
export type Answers = { [H in keyof LabConnection]?: Partial<LabConnection[H]> };

const recorder = (prefix: string, answers: object, calls: Call[]): unknown =>
  new Proxy(answers, {
    get:
      (target, name) =>
      (...args: unknown[]) => {
        calls.push([`${prefix}${String(name)}`, ...args]);
        const answer: unknown = Reflect.get(target, name);
        return typeof answer === 'function' ? answer(...args) : Promise.resolve();
      },
  });

export interface FakeLab {
  calls: Call[];
  /** Calls of one name, without it. */
  callsOf: (name: string) => unknown[][];
  connection: LabConnection;
}

export const fakeLab = (answers: Answers = {}): FakeLab => {
  const calls: Call[] = [];
  const host = <H extends keyof LabConnection>(name: H): LabConnection[H] =>
    recorder(`${name}.`, answers[name] ?? {}, calls) as LabConnection[H];
  return {
    calls,
    callsOf: (name) => calls.flatMap(([called, ...args]) => (called === name ? [args] : [])),
    connection: {
      ask: host('ask'),
      train: host('train'),
      demonstrations: host('demonstrations'),
      exports: host('exports'),
      collections: host('collections'),
      clusters: host('clusters'),
      encoders: host('encoders'),
      checkpoints: host('checkpoints'),
      evaluations: host('evaluations'),
      rollouts: host('rollouts'),
    },
  };
};

export interface ConnectedLab extends FakeLab {
  /** Messages of the lab; they are there when it returns. */
  send: (...messages: AskMessage[]) => void;
  /** How often the connection was opened. */
  opened: () => number;
}

/** What a browser has that stores ask for: a page that is seen, frames that come at once. */
export const stubPage = (
  page: { visible?: boolean; path?: string; search?: string } = {},
): void => {
  const { visible = true, path = '/', search = '' } = page;
  vi.stubGlobal('document', {
    visibilityState: visible ? 'visible' : 'hidden',
    addEventListener: () => undefined,
    getElementById: () => null,
  });
  vi.stubGlobal('location', { pathname: path, search, protocol: 'http:' });
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => run());
};

/** Connects the page to a fake lab. */
export const connectFake = (answers: Answers = {}, users: LabUser[] = []): ConnectedLab => {
  const lab = fakeLab(answers);
  let receive: (messages: AskMessage[]) => void = () => undefined;
  let opened = 0;
  connectLab({
    open: (listener) => {
      receive = listener;
      opened++;
      return lab.connection;
    },
    device: () => 'wasm',
    users,
  });
  return { ...lab, send: (...messages) => receive(messages), opened: () => opened };
};

/** A promise that a test settles when it wants. */
export const deferred = <T = void>() => {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};

/** Lets everything happen that waits for no answer. */
export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
