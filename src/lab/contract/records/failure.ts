/** A failure as it is stored and shown. */

/** A failure in the words of the user: what happened to what, and the text that can be copied. */
export interface Failure {
  /** `missing`: a file is not there; `lost`: the worker died; `failed`: it answered with an error. */
  kind: 'missing' | 'lost' | 'failed';
  message: string;
  detail: string;
}
