import type { Remote } from 'comlink';
import type { EncoderApi } from '../../models/encoders/messages.ts';

/** Calls a method of encoders that are in another worker. */
export type EncoderCall = <Result>(
  use: (encoders: Remote<EncoderApi>) => Promise<Result>,
) => Promise<Result>;

/** Encoders in another worker as plain calls, which reject when the worker dies. */
export const remoteEncoders = (call: EncoderCall): EncoderApi => ({
  list: () => call((encoders) => encoders.list()),
  add: (files) => call((encoders) => encoders.add(files)),
  remove: (id) => call((encoders) => encoders.remove(id)),
  restore: (id) => call((encoders) => encoders.restore(id)),
});
