import { say } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { adapterAt, readRun, readRunAt } from '../train/folder.ts';

/** Options that name an adapter and its checkpoint. */
export const ADAPTER_OPTIONS = {
  adapter: { type: 'string', value: 'DIR', help: 'PEFT folder of the adapter' },
  run: {
    type: 'string',
    value: 'DIR[@STEP]',
    help: 'a training run: the adapter of its last step, or of another stored step',
  },
} as const;

/** The folders of adapter and checkpoint: as given, or those of a run. @throws UsageError */
export function adapterSubject(
  command: string,
  values: OptionValues,
): { adapter: string; policy: string | undefined } {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const [run, adapter, policy] = [text('run'), text('adapter'), text('policy')];
  if (run !== undefined && adapter !== undefined)
    throw new UsageError('--adapter and --run exclude each other; give one of them.');
  if (run !== undefined) {
    const at = readRunAt(run);
    return {
      adapter: adapterAt(at, say).folder,
      policy: policy ?? readRun(at.run).policy.folder,
    };
  }
  if (adapter === undefined) throw new UsageError(`${command} needs --run DIR or --adapter DIR.`);
  return { adapter, policy };
}
