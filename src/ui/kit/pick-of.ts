/** The member of `values` that `raw` names; null where it names none. */
export const pickOf = <T extends string>(values: readonly T[], raw: string): T | null =>
  values.find((value) => value === raw) ?? null;
