export { completeAddress } from './address.ts';
export { AnswerCache, type TextStore } from './answer-cache.ts';
export { EngineError, type EngineFault } from './http/errors.ts';
export { EngineSource } from './engine-source.ts';
export { HostGates } from './http/gate.ts';
export { HTTP_LIMITS, type HttpDeps, type HttpLimits } from './http/http.ts';
export { engineOf, openWebSource, type EngineSpec, type WebSourceDeps } from './open.ts';
export {
  testConnection,
  type ConnectionOutcome,
  type ConnectionReport,
  type ConnectionTest,
} from './test-connection.ts';
