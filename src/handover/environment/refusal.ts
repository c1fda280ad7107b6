/** A call that is refused: what was wrong with it, and the HTTP status that says so. Nothing of it counts. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 503,
    message: string,
  ) {
    super(message);
  }
}
