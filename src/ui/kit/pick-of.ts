/** The member of `values` equal to `raw`; null if there is none. */
export const pickOf = <T extends string>(values: readonly T[], raw: string): T | null =>
  values.find((value) => value === raw) ?? null;

/** Characters. Addresses are untrusted input, and no id is longer. */
const LONGEST_ID = 200;

/** An id in an address; null for none or an invalid text. */
export const idOf = (raw: string | null): string | null =>
  raw === null || raw === '' || raw.length > LONGEST_ID ? null : raw;
