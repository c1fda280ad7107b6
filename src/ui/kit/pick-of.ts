/** The member of `values` that `raw` names; null where it names none. */
export const pickOf = <T extends string>(values: readonly T[], raw: string): T | null =>
  values.find((value) => value === raw) ?? null;

/** Characters. Anybody may type an address, and no id here is longer. */
const LONGEST_ID = 200;

/** An id in an address; null for none, and for a text that can be no id. */
export const idOf = (raw: string | null): string | null =>
  raw === null || raw === '' || raw.length > LONGEST_ID ? null : raw;
