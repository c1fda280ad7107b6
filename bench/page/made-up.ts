/** Rollouts that are made up, the same in every run. */

/** Rollouts of a question. */
const GROUP = 8;

const WORDS =
  'harbour letter museum river engine winter notary glass orchard signal border painter valley chapel'.split(
    ' ',
  );

/** Text of a length that varies, the same in every run. */
const prose = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * 5 + (i >> 3)) % WORDS.length]).join(
    ' ',
  );

/** A rollout in verl's layout, of 2 kB on average. */
export function rolloutLine(i: number, groupSize = GROUP): string {
  const question = Math.floor(i / groupSize);
  const right = (i * 7) % 3 === 0;
  const gold = `Name ${question % 97}`;
  const rounds = Array.from({ length: i % 4 }, (_, n) => {
    const passage = `${prose(i + n, 90)} ${n === 1 ? gold : 'nobody'}.`;
    return `<think>${prose(i, 20)}</think>\n<search> who ${question} ${n} </search>\n<information>Doc 1(Title: T${n}) ${passage}\n</information>\n`;
  });
  return JSON.stringify({
    input: `Question: Who kept number ${question} of the ${prose(question, 6)}?\n`,
    output: `${rounds.join('')}<think>${i % 50 === 0 ? 'I am not sure.' : prose(i, 12)}</think>\n<answer> ${right ? gold : 'Fog'} </answer>`,
    gts: { target: [gold] },
    score: right ? 1 : 0,
    step: Math.floor(i / 2000),
  });
}

/** One rollout of about this many megabytes: text, one token a word, and six columns of numbers. */
export function longTrace(megabytes: number): string {
  // A word of seven letters stands twice, with some 40 characters of numbers.
  const count = Math.round((megabytes * 1e6) / 62);
  const tokens: string[] = [];
  while (tokens.length < count) {
    const round = Math.floor(tokens.length / 4000);
    const body = prose(round, 2500).split(' ');
    tokens.push(
      '<think>',
      ...prose(round, 900)
        .split(' ')
        .map((word) => ` ${word}`),
      '</think>',
    );
    tokens.push('<search>', ` who ${round}`, '</search>', '<information>', 'Doc 1(Title: T) ');
    tokens.push(...body.map((word) => ` ${word}`), '</information>');
  }
  tokens.push('<answer>', ' Name 1 ', '</answer>');
  const wave = (scale: number): number[] =>
    tokens.map((_, i) => Number((scale * Math.sin(i / 9)).toFixed(3)));
  return JSON.stringify({
    prompt: 'Question: Who kept number 1?\n',
    response: tokens.join(''),
    response_tokens: tokens,
    logprobs: wave(-1),
    ref_logprobs: wave(-1.1),
    values: wave(0.5),
    token_rewards: wave(0.1),
    reward: 1,
    ground_truth: 'Name 1',
    step: 1,
  });
}
