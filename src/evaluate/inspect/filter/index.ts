/** The filter of the rollout table: `em = 0 and recall = 1 and think contains "not sure"`. */
export { printFilter, type Filter } from './ast.ts';
export { completionsAt, type Completion, type Completions, type KnownValues } from './complete.ts';
export { FilterError } from './error.ts';
export { BIT_NUMBERS, fieldOf, FIELDS, OPERATORS, type Field, type FieldKind } from './fields.ts';
export { compileFilter, type CompiledFilter } from './match.ts';
export { MAX_PATTERN } from './pattern.ts';
export { parseFilter } from './parse.ts';
export { unknownsOf, type Unknown } from './unknown.ts';
