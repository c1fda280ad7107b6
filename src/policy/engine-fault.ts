/** An engine that cannot continue: what its caches or weights hold is not certain any more. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault';
}
