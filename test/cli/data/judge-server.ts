import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the OpenAI chat API that judges, with damaged answers among the good ones. */

export interface JudgeServer {
  url: string;
  /** Predictions that it was asked of, in order. */
  asked: string[];
  close(): Promise<void>;
}

interface Reply {
  status?: number;
  body: string;
}

const said = (content: string, user: string): Reply => ({
  body: JSON.stringify({
    choices: [{ message: { role: 'assistant', content } }],
    usage: { prompt_tokens: user.length, completion_tokens: 1 },
  }),
});

/** What it answers of a prediction; null: nothing, ever. */
function reply(prediction: string, gold: string, user: string): Reply | null {
  switch (prediction) {
    case 'broken':
      return { body: '{"choices": [' };
    case 'refused':
      return { status: 400, body: JSON.stringify({ error: { message: 'content refused' } }) };
    case 'silent':
      return null;
    case 'vague':
      return said('It depends.', user);
    default:
      return said(prediction.includes(gold) ? 'True' : 'False', user);
  }
}

export async function judgeServer(
  models: readonly string[] = ['tiny-judge'],
): Promise<JudgeServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const send = ({ status = 200, body }: Reply): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(body);
    };
    if (request.url === '/v1/models')
      return send({ body: JSON.stringify({ data: models.map((id) => ({ id })) }) });
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      const { messages } = JSON.parse(text) as { messages: { role: string; content: string }[] };
      const user = messages.find(({ role }) => role === 'user')?.content ?? '';
      const line = (name: string): string => new RegExp(`${name}: (.*)`).exec(user)?.[1] ?? '';
      const prediction = line('Predicted answer');
      asked.push(prediction);
      const answer = reply(prediction, line('Reference answer'), user);
      if (answer) send(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
