import { oneLine } from '../../base/errors.ts';

/** A folder of an encoder or cross-encoder that cannot be used; the message names the file at fault. */
export class EncoderError extends Error {
  override readonly name = 'EncoderError';

  constructor(message: string, options?: ErrorOptions) {
    // Names inside damaged files may hold anything; the message stays one readable line.
    super(oneLine(message, 600), options);
  }
}
