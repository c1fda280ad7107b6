import { resolve } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { engineTextModel } from '../../policy/open/engine-text-model.ts';
import { EndpointClient, endpointTextModel } from '../../policy/remote/endpoint/client.ts';
import { EndpointError } from '../../policy/remote/endpoint/errors.ts';
import type { TextModel } from '../../policy/text-model.ts';
import { UsageError } from '../shared/options.ts';
import { KEY_VARIABLE } from '../shared/shared-options.ts';
import { openPolicy, policyFolder } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';

/** A model that judges or summarizes, besides the policy: a checkpoint folder, or a server's model. */

export const textModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('endpoint'), url: z.string(), model: z.string() }),
  z.strictObject({ kind: z.literal('folder'), path: z.string() }),
]);
export type TextModelSpec = z.infer<typeof textModelSchema>;

export interface OpenTextModel {
  spec: TextModelSpec;
  model: TextModel;
  close(): void;
}

export const isAddress = (given: string): boolean => /^https?:\/\//i.test(given);

/** The built-in policy has no chat template and can only search. */
const noHelper = (option: string, work: string): UsageError =>
  new UsageError(
    `The built-in model cannot ${work}: it can only search and answer. ` +
      `Name the folder of a chat model or the address of a server: ${option} http://localhost:8080/v1.`,
  );

/** What work a model is opened for, as messages name it. */
interface For {
  /** `--judge` */
  option: string;
  /** `judge` */
  work: string;
}

/**
 * Opens what an option names.
 * @param given a folder, or the base address of an OpenAI-compatible server
 * @param modelName which of the server's models; its only one by default
 * @throws UsageError that says what is wrong and what to do
 */
export async function openTextModel(
  given: string,
  modelName: string | undefined,
  { option, work }: For,
): Promise<OpenTextModel> {
  if (given === 'built-in') throw noHelper(option, work);
  if (isAddress(given)) return openServer(given, modelName, option);
  if (modelName !== undefined)
    throw new UsageError(
      `${option}-model is only for a server, but ${option} names the folder ${given}.`,
    );
  const path = resolve(policyFolder(given));
  if (path === resolve(builtIn('policy'))) throw noHelper(option, work);
  const policy = await openPolicy({ policy: path, device: 'wasm' });
  try {
    return {
      spec: { kind: 'folder', path },
      model: engineTextModel(policy),
      close: () => policy.dispose(),
    };
  } catch (error) {
    policy.dispose();
    throw new UsageError(`${option} ${given}: ${messageOf(error)}`);
  }
}

/** As a record names it. @throws UsageError */
export const openTextModelOf = (spec: TextModelSpec, purpose: For): Promise<OpenTextModel> =>
  spec.kind === 'folder'
    ? openTextModel(spec.path, undefined, purpose)
    : openTextModel(spec.url, spec.model, purpose);

/** A server and which of its models. */
export interface Server {
  model: string;
  client: EndpointClient;
}

/**
 * Lists the server's models first, so that a wrong address is reported once, not per question.
 * @throws UsageError
 */
export async function connectServer(
  url: string,
  modelName: string | undefined,
  option: string,
): Promise<Server> {
  const key = (): string => process.env[KEY_VARIABLE] ?? '';
  const probe = new EndpointClient({ url, model: modelName ?? '', key, retries: 0 });
  const models = await probe.models().catch((error: unknown) => {
    // A server without a list of models may answer all the same.
    const silent =
      error instanceof EndpointError && ['not-found', 'bad-answer'].includes(error.fault);
    if (silent && modelName !== undefined) return [modelName];
    const advice =
      error instanceof EndpointError && error.fault === 'unauthorized'
        ? ` Its key is read from ${KEY_VARIABLE}.`
        : '';
    throw new UsageError(`${option} ${url}: ${messageOf(error)}${advice}`);
  });
  const [first] = models;
  if (modelName === undefined && (models.length !== 1 || first === undefined))
    throw new UsageError(
      `${option} ${url} has ${models.length} models; choose one: ${option}-model ${models.slice(0, 5).join(' | ') || 'NAME'}.`,
    );
  const model = modelName ?? first ?? '';
  return { model, client: new EndpointClient({ url, model, key }) };
}

async function openServer(
  url: string,
  modelName: string | undefined,
  option: string,
): Promise<OpenTextModel> {
  const { model, client } = await connectServer(url, modelName, option);
  return {
    spec: { kind: 'endpoint', url, model },
    model: endpointTextModel(client, `${model} at ${new URL(url).host}`),
    close: () => undefined,
  };
}
