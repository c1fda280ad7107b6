import { z } from 'zod';
import { isObject } from '../../base/objects.ts';
import { knownAs } from './nearest.ts';
import type { SystemSettings } from './system.ts';

/** What systems declare to the core, and the code that they provide. */

/** Checks the parameters beside a system's id by the schema that it declares. @param at where they are, if their id is a key */
export function checkParams(
  { id, ...own }: SystemSettings,
  declarations: ReadonlyMap<string, { params: z.ZodObject }>,
  what: string,
  context: z.core.$RefinementCtx,
  at?: readonly string[],
): void {
  const params = declarations.get(id)?.params;
  if (!params) {
    const message = `the system "${id}" has no ${what}; ${knownAs(id, [...declarations.keys()])}`;
    context.addIssue({ code: 'custom', path: at ? [...at] : ['id'], message });
    return;
  }
  for (const issue of params.safeParse(own).error?.issues ?? [])
    // The issue as zod made it, not one of kind custom: forms have words for each kind.
    context.issues.push({
      ...issue,
      path: [...(at ?? []), ...issue.path],
      input: own,
      // The other members of a union have no part in it.
      continue: true,
    } as z.core.$ZodRawIssue);
}

/**
 * What systems declare of one kind, by their ids, and the schema of the setting that names a system by `id`, its
 * parameters beside it. The schema of every system must have the fields of `Settings`.
 */
export function declarations<
  Declared extends { params: z.ZodObject },
  Settings extends SystemSettings = SystemSettings,
>(what: string) {
  const declared = new Map<string, Declared>();
  /** Absent parameters have their defaults. */
  const filled = (system: Settings): Settings => {
    const { id, ...own } = system;
    const parsed = declared.get(id)?.params.safeParse(own);
    return parsed?.success ? { ...system, ...parsed.data } : system;
  };
  const schema = z
    .custom<Settings>((value) => isObject(value) && typeof value['id'] === 'string', {
      error: `name the system whose ${what} this is`,
    })
    .superRefine((system, context) => checkParams(system, declared, what, context))
    .overwrite(filled);
  return { declared, schema };
}

/** Code that systems provide, by their ids; it is loaded when it is first needed. */
export function loadedCode<Code>(what: string) {
  const loaders = new Map<string, () => Promise<Code>>();
  const loaded = new Map<string, Code>();
  return {
    provide: (id: string, load: () => Promise<Code>): void => void loaders.set(id, load),
    /** @throws Error where the system provides none */
    async load(id: string): Promise<Code> {
      const load = loaders.get(id);
      if (!load) throw new Error(`the ${what} of the system "${id}" is not registered`);
      const code = loaded.get(id) ?? (await load());
      loaded.set(id, code);
      return code;
    },
    /** Undefined where it is not loaded. */
    get: (id: string): Code | undefined => loaded.get(id),
  };
}
