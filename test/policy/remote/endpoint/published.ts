import { strictServer, type StrictServer } from './strict-server.ts';

/** What a published checkpoint writes: a search, then the answer that the result has. */
interface Checkpoint {
  search: (query: string) => string;
  /** How the result that it was trained to read begins and ends. */
  result: readonly [begin: string, close: string];
  answer: (name: string) => string;
}

/** By the recipe that asks them; as their papers and repositories show them. */
export const CHECKPOINTS: Readonly<Record<string, Checkpoint>> = {
  'search-r1': {
    search: (query) => `<think> Who? </think>\n<search> ${query} </search>`,
    result: ['<information>Doc 1(Title: "', '</information>'],
    answer: (name) => `<think> It is said. </think>\n<answer> ${name} </answer>`,
  },
  'r1-searcher': {
    search: (query) => `<think>Who? <|begin_of_query|> ${query} <|end_of_query|>`,
    result: ['<|begin_of_documents|>\n(1)Title: ', '\n<|end_of_documents|>'],
    answer: (name) => `It is said.</think>\n<answer>${name}</answer>`,
  },
  research: {
    search: (query) => `<think> Who? </think> <search> ${query} </search>`,
    result: ['<result>\n"', '</result>'],
    answer: (name) => `<think> Said. </think> <answer> It is \\boxed{${name}} </answer>`,
  },
  ur2: {
    search: (query) => `<think> Who? <|begin_of_query|> ${query} <|end_of_query|>`,
    result: ['<|begin_of_documents|>\n', '\n<|end_of_documents|>'],
    answer: (name) => `That is all. </think> It is \\boxed{${name}}.`,
  },
  'auto-refine': {
    search: (query) => `<think> Who? </think>\n<search> ${query} </search>`,
    result: ['<documents>Doc 1(Title: "', '</documents>'],
    answer: (name) => `<refine> By ${name}. </refine>\n<answer> ${name} </answer>`,
  },
};

/** Cut as tokens are, so that tags come in parts. */
export const tokensOf = (text: string): string[] => text.match(/\s?\w+|[^\w]/gu) ?? [];

interface PublishedServer {
  server: StrictServer;
  /** Everything that it was asked, in order. */
  prompts: string[];
  /** What it writes first. */
  search: string;
  /** The tag that a result begins with. */
  opens: string;
}

/**
 * A server with one of them as its model `published`, which searches once.
 * @param name what it answers where the result says it
 */
export async function publishedServer(
  recipe: string,
  query: string,
  name: string,
): Promise<PublishedServer> {
  const checkpoint = CHECKPOINTS[recipe];
  if (!checkpoint) throw new Error(`nobody published a checkpoint of ${recipe}`);
  const [begin, close] = checkpoint.result;
  const search = checkpoint.search(query);
  const prompts: string[] = [];
  const server = await strictServer({
    models: ['published'],
    tokens: (asked) => {
      const all =
        'messages' in asked
          ? asked.messages.map(({ content }) => content).join('\n')
          : asked.prompt;
      prompts.push(all);
      // The tags are in the instruction, too, which ends where the question begins.
      const context = all.slice(all.lastIndexOf('Question:'));
      const read = context.includes(begin) && context.includes(close);
      const said = context.slice(context.indexOf(begin)).includes(name);
      return tokensOf(read ? checkpoint.answer(said ? name : 'unknown') : search);
    },
  });
  return { server, prompts, search, opens: begin.slice(0, begin.indexOf('>') + 1) };
}
