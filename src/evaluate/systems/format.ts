/**
 * Why a file is not read, by its format, in a sentence; null where it is the one that is known.
 * @param known such as `forage.system/1`: a family and its version
 */
export function formatFault(format: unknown, what: string, known: string): string | null {
  if (format === known) return null;
  const [family, version] = known.split('/');
  const [, given] =
    typeof format === 'string' && format.startsWith(`${family}/`)
      ? (/\/(\d{1,6})$/u.exec(format) ?? [])
      : [];
  if (given === undefined)
    return `This is not ${/^[aeiou]/u.test(what) ? 'an' : 'a'} ${what}: its "format" is not "${known}".`;
  return Number(given) > Number(version)
    ? `This ${what} is from a newer version of Forage: its "format" is "${family}/${given}", and this version reads "${known}". Open it in the newer version, or update this one.`
    : `This ${what} cannot be read: its "format" is "${family}/${given}", which does not exist; this version reads "${known}".`;
}
