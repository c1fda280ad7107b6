import type { ToolSchema } from '../../policy/text-model.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import type { ReadCall, ToolCall } from './read-calls.ts';
import { wayOf } from './form.ts';
import type { AskedBlock, SearchTag } from './tags.ts';

/** The tools that a recipe's settings give a model; each takes one text. */

type ToolName = SearchTag | AskedBlock;

export interface Tool {
  name: ToolName;
  parameter: string;
  /** What it does, and what its text is. */
  description: string;
  about: string;
}

const ALL: Readonly<Record<ToolName, Omit<Tool, 'name'>>> = {
  search: {
    parameter: 'query',
    description: 'Searches a collection of passages and returns the best ones.',
    about: 'A short search query that asks for one fact.',
  },
  local_search: {
    parameter: 'query',
    description: 'Searches the local collection of passages.',
    about: 'A short search query that asks for one fact.',
  },
  web_search: {
    parameter: 'query',
    description: 'Searches the web.',
    about: 'A short search query that asks for one fact.',
  },
  compute: {
    parameter: 'expression',
    description: 'Computes arithmetic or a comparison.',
    about: 'One line such as 1931 - 1874.',
  },
  ask: {
    parameter: 'question',
    description: 'Asks the user where the question leaves open who or what is meant.',
    about: 'The question to the user.',
  },
  lookup: {
    parameter: 'text',
    description: 'Shows the next sentence with a text on the page that was opened last.',
    about: 'The text to look for.',
  },
};

/** None where the loop searches in the model's place, or not at all. */
export function toolsOf(settings: RecipeSettings): Tool[] {
  const { blocks, retrieval } = settings;
  const names: ToolName[] = [];
  if (wayOf(settings) === 'search') {
    names.push('search');
    if (retrieval.honourTags && retrieval.source === 'router')
      names.push('local_search', 'web_search');
    if (traitsOf(settings).looksUp) names.push('lookup');
  }
  for (const block of ['compute', 'ask'] as const) if (blocks.includes(block)) names.push(block);
  return names.map((name) => ({ name, ...ALL[name] }));
}

export const schemaOf = ({ name, parameter, description, about }: Tool): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [parameter]: { type: 'string', description: about } },
      required: [parameter],
    },
  },
});

/** The tool that a call is for, with its text, or what is wrong with it. */
export function resolveCall(
  read: ReadCall,
  tools: readonly Tool[],
): { tool: Tool; text: string } | { error: string } {
  if ('error' in read) return read;
  const { name, arguments: given }: ToolCall = read.call;
  const tool = tools.find((one) => one.name === name);
  const names = tools.map((one) => one.name).join(', ');
  if (!tool)
    return {
      error: `There is no tool ${JSON.stringify(name)}${names === '' ? '.' : `; the tools are: ${names}.`}`,
    };
  const text = given[tool.parameter] ?? given[''];
  if (typeof text !== 'string')
    return { error: `${name} needs the argument "${tool.parameter}", a text.` };
  return { tool, text: text.trim() };
}
