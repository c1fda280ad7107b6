import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrivenBrowser } from './driven.ts';

/**
 * An installed Firefox, driven by Marionette, the protocol that it has of its own. A session of WebDriver
 * BiDi listens to the debugger of every worker; with that listener a worker that starts others does not
 * return from `new Worker` in one page load of four to ten, which no Firefox without it was seen to do.
 */

type Answer = { value: unknown } | { error: Error };

/** The longest that Firefox may take to start, ms. */
const START_MS = 100_000;

const PREFERENCES = {
  'marionette.port': 0,
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
};

/** Commands and answers: `length:[type, id, …]`, one after another. */
class Connection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #read = Buffer.alloc(0);
  #commands = 0;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (data: Buffer) => this.#take(data));
    for (const event of ['error', 'close'])
      this.#socket.on(event, () => this.#end(new Error('Firefox has ended')));
  }

  #end(error: Error): void {
    for (const answer of this.#waiting.values()) answer({ error });
    this.#waiting.clear();
  }

  #take(data: Buffer): void {
    this.#read = Buffer.concat([this.#read, data]);
    for (;;) {
      const colon = this.#read.indexOf(':');
      const end = colon + 1 + Number(this.#read.toString('latin1', 0, Math.max(0, colon)));
      if (colon < 0 || this.#read.length < end) return;
      const packet: unknown = JSON.parse(this.#read.toString('utf8', colon + 1, end));
      this.#read = this.#read.subarray(end);
      // The first says which protocol it is.
      if (Array.isArray(packet)) this.#answer(packet);
    }
  }

  #answer([, id, error, value]: unknown[]): void {
    const answer = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error) answer?.({ error: new Error((error as { message: string }).message) });
    else answer?.({ value });
  }

  /** @returns the answer's `value`, or the whole of one that has none */
  async send(command: string, parameters: object = {}): Promise<unknown> {
    const id = ++this.#commands;
    const packet = Buffer.from(JSON.stringify([0, id, command, parameters]));
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.write(`${packet.length}:${packet.toString()}`);
    });
    if ('error' in answer) throw answer.error;
    const { value } = answer;
    return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Firefox writes the port that it chose into its profile. */
const portOf = async (profile: string): Promise<number> => {
  const file = join(profile, 'MarionetteActivePort');
  for (const start = Date.now(); Date.now() - start < START_MS; await sleep(100))
    if (existsSync(file) && readFileSync(file, 'utf8') !== '')
      return Number(readFileSync(file, 'utf8'));
  throw new Error('Firefox did not start');
};

/** Errors of scripts, not warnings, of pages and not of Firefox itself. */
const READ_ERRORS = `
  return Services.console.getMessageArray()
    .filter((one) => one instanceof Ci.nsIScriptError && (one.flags & 1) === 0
      && /^content javascript|DOM Worker/.test(one.category))
    .map((one) => one.errorMessage + ' (' + one.sourceName + ')');`;

/** @param program path of an installed Firefox */
export const openFirefox = async (program: string): Promise<DrivenBrowser> => {
  const profile = mkdtempSync(join(tmpdir(), 'forage-firefox-'));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  // The last flag: for reading its console.
  const flags = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access'];
  const child = spawn(
    program,
    [...flags, '--profile', profile, '--width', '1280', '--height', '900', 'about:blank'],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  const started = portOf(profile).then((port) => new Connection(port));
  const connection = await started.catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const send = (command: string, parameters?: object) =>
    connection.send(`WebDriver:${command}`, parameters);
  const find = async (using: string, value: string): Promise<{ id: string }> => {
    const found = (await send('FindElement', { using, value })) as Record<string, string>;
    return { id: Object.values(found)[0] ?? '' };
  };
  await send('NewSession', { timeouts: { pageLoad: START_MS, script: START_MS } });
  return {
    goto: async (url) => void (await send('Navigate', { url })),
    run: <T>(script: string, ...args: unknown[]) =>
      send('ExecuteScript', { script, args }) as Promise<T>,
    click: async (xpath) => void (await send('ElementClick', await find('xpath', xpath))),
    choose: async (selector, file) => {
      const field = await find('css selector', selector);
      await send('ElementSendKeys', { ...field, text: file });
    },
    errors: async () => {
      await connection.send('Marionette:SetContext', { value: 'chrome' });
      const errors = await send('ExecuteScript', { script: READ_ERRORS, sandbox: 'system' });
      await connection.send('Marionette:SetContext', { value: 'content' });
      return errors as string[];
    },
    screenshot: async (path) => {
      const picture = (await send('TakeScreenshot', { full: false })) as string;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, picture, 'base64');
    },
    close: async () => {
      connection.close();
      await end();
    },
  };
};
