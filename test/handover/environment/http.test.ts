import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EnvironmentParts } from '../../../src/handover/environment/environment.ts';
import type { Health } from '../../../src/handover/environment/protocol.ts';
import { partsOf, serve, settingsOf, type Called, type Served } from './served.ts';

/** What may call, and what becomes of calls that are none. */

let parts: EnvironmentParts;
let served: Served;

beforeAll(async () => {
  parts = await partsOf(settingsOf('search-r1'));
});
afterEach(() => served.stop());

/** A call with any headers: `fetch` sets some of its own. */
const call = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Promise<Called> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(served.url);
    const sent = request({ method, path, hostname, port, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });

const JSON_TYPE = { 'content-type': 'application/json' };
const OPEN = JSON.stringify({ rollouts: [{ id: 'a', draw: 0, step: 1 }] });

describe('without a token', () => {
  it('tells what it is', async () => {
    served = await serve(parts);
    const { status, text } = await call('GET', '/v1/health');
    expect(status).toBe(200);
    expect(JSON.parse(text) as Health).toMatchObject({
      schema: 'forage.environment/1',
      recipe: { id: 'search-r1' },
      policy: { vocabulary: 2048, maxContext: 512 },
      tags: { spelling: 'ids', stopTexts: [] },
      questions: { heldOut: 64 },
      shard: { index: 0, of: 1 },
      scoring: { total: 0, left: 0 },
      rollouts: { open: 0, finished: 0, expired: 0 },
      settings: { questions: 8, groupSize: 8 },
    });
  });

  it('is no use to a page of a browser', async () => {
    served = await serve(parts);
    const simple = await call('POST', '/v1/open', { 'content-type': 'text/plain' }, OPEN);
    expect(simple).toMatchObject({ status: 415 });
    const rebound = { ...JSON_TYPE, host: 'evil.example:8765' };
    expect(await call('POST', '/v1/open', rebound, OPEN)).toMatchObject({ status: 403 });
    expect(served.environment.health().rollouts.open).toBe(0);
    expect(
      await call('POST', '/v1/open', { ...JSON_TYPE, host: 'localhost:1' }, OPEN),
    ).toMatchObject({ status: 200 });
  });

  it.each([
    ['POST', '/v1/open', '{"rollouts": [', 400, /the body is not JSON/],
    ['POST', '/v1/open', 'null', 400, /expected object/],
    ['POST', '/v1/open', '{}', 400, /rollouts/],
    ['POST', '/v1/open', Buffer.from([0x22, 0xff, 0x22]), 400, /not UTF-8/],
    ['POST', '/v1/nothing', '{}', 404, /there is no \/v1\/nothing; there are \/v1\/health/],
    ['POST', '/v1/__proto__', '{}', 404, /there is no/],
    ['GET', '/v1/open', '', 405, /called by POST/],
    ['PUT', '/v1/step', '{}', 405, /called by POST/],
  ] as const)('%s %s %s: %i', async (method, path, body, status, words) => {
    served = await serve(parts);
    const reply = await call(method, path, JSON_TYPE, body);
    expect(reply.status).toBe(status);
    expect((JSON.parse(reply.text) as { error: string }).error).toMatch(words);
  });

  it('takes no body that is too large, told or not', async () => {
    served = await serve(parts, { bodyBytes: 1000 });
    const large = ' '.repeat(1001);
    const told = await call('POST', '/v1/step', JSON_TYPE, large);
    expect(told).toMatchObject({ status: 413 });
    expect(told.text).toMatch(/more than 1000 bytes/);
    const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    expect(await call('POST', '/v1/step', chunked, large)).toMatchObject({ status: 413 });
    expect(await call('POST', '/v1/open', JSON_TYPE, OPEN)).toMatchObject({ status: 200 });
  });

  it('survives input that is not HTTP, and callers that disconnect', async () => {
    served = await serve(parts);
    const { port } = new URL(served.url);
    const said = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('close', () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400/);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST /v1/open HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n{');
        socket.destroy();
      });
      socket.on('close', () => resolve());
    });
    expect(await call('GET', '/v1/health')).toMatchObject({ status: 200 });
  });
});

describe('with a token', () => {
  it('answers nobody who does not bring it', async () => {
    served = await serve(parts, {}, { token: 'secret' });
    const bearer = (token: string) => ({ ...JSON_TYPE, authorization: `Bearer ${token}` });
    for (const headers of [JSON_TYPE, bearer('other'), bearer(''), bearer('secret2')]) {
      const reply = await call('POST', '/v1/open', headers, OPEN);
      expect(reply.status).toBe(401);
      expect(reply.text).toMatch(/token/);
      expect(await call('GET', '/v1/health', headers)).toMatchObject({ status: 401 });
    }
    expect(served.environment.health().rollouts.open).toBe(0);
    expect(await call('POST', '/v1/open', bearer('secret'), OPEN)).toMatchObject({ status: 200 });
    const away = { ...bearer('secret'), host: 'forage.cluster:8765' };
    expect(await call('GET', '/v1/health', away)).toMatchObject({ status: 200 });
  });
});

describe('when it stops', () => {
  it('ends the rollouts, tells who waits, and takes no more', async () => {
    const { retriever } = parts;
    let searching = (): void => undefined;
    const searched = new Promise<void>((resolve) => (searching = resolve));
    served = await serve({
      ...parts,
      // A source that answers only when it is told to end.
      retriever: {
        search: (source, query, k, signal) =>
          query === 'wait'
            ? new Promise((_, reject) => {
                searching();
                signal?.addEventListener('abort', () => reject(new Error('aborted')));
              })
            : retriever.search(source, query, k, signal),
      },
    });
    await served.open([{ id: 'a', draw: 0, step: 1 }]);
    const ids = [6, 7, 8, ...parts.reader.tokenizer.encodeText('wait'), 9];
    const waiting = served.step([{ id: 'a#0', ids }]);
    await searched;
    served.environment.stop('the server goes home');
    expect((await waiting).done).toEqual([{ rollout: 'a', error: 'the server goes home' }]);
    const late = await served.post('/v1/open', OPEN);
    expect(late).toMatchObject({ status: 503 });
    expect(late.text).toMatch(/the server goes home/);
    expect(served.records).toEqual([]);
  });
});
