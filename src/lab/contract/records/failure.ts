/** A failure as it is stored and shown. */

/** A failure in the words of the user: what happened to what, and the text that can be copied. */
export interface Failure {
  /**
   * `missing`: a file is not there; `lost`: the worker died; `no-demonstrations`: a warm-up on the run's own
   * rollouts had none that is right; `failed`: it answered with another error.
   */
  kind: 'missing' | 'lost' | 'no-demonstrations' | 'failed';
  message: string;
  detail: string;
}
