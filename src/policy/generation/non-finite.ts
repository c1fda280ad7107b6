const REASON =
  'policy: the logits of the next token are not finite. Its weights are broken, or a value ' +
  'overflowed their number type: check or import the checkpoint again, or hold its weights in f32';

/**
 * The model gave logits that are no finite numbers, so nothing can be drawn. Sampling on would take ids
 * from a distribution that does not exist.
 */
export class NonFiniteLogits extends Error {
  override readonly name = 'NonFiniteLogits';

  /** @param reason what another thread said of it */
  constructor(reason = REASON) {
    super(reason);
  }
}
