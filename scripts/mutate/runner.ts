import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from './host.ts';

/** A host in a process group of its own, started when first needed and again after it was ended. */
export class Runner {
  #host: ChildProcess | undefined;

  /** Undefined where it took longer than `ms`, or died: a mutant that hangs or takes all memory. */
  run(request: Request, ms: number): Promise<Response | undefined> {
    const host = (this.#host ??= fork(fileURLToPath(new URL('host.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }));
    return new Promise((resolve) => {
      const done = (response?: Response): void => {
        clearTimeout(timer);
        host.removeAllListeners();
        if (!response) this.close();
        resolve(response);
      };
      const timer = setTimeout(done, ms);
      host.once('message', (response) => done(response as Response));
      host.once('exit', () => done());
      host.send(request);
    });
  }

  /** Ends the host and, as it leads their group, the workers that it started. */
  close(): void {
    const pid = this.#host?.pid;
    this.#host = undefined;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It had ended by itself.
    }
  }
}
