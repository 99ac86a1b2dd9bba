/** The sandbox as a library: `startSandbox` with real sockets, `createExchange` without. */
export { BACKLOG_BYTES_MAX, startSandbox, type Sandbox, type SandboxOptions } from './sandbox';
export { createExchange, type Exchange, type ExchangeOptions, type Request } from './api/exchange';
export type { Response } from './api/answer';
export type { Session, SessionPort } from './api/session';
export { dialects, type Dialect } from './api/dialect';
export { createEngine, type Engine, type EngineOptions } from './engine/engine';
export { audit } from './engine/audit';
export { assumptions, type Assumption } from './assumptions';
export type { Action } from './engine/actions';
export { ACCESS_CLASSES, devKeys, TRADER_EMAIL, type KeyGrant } from './engine/seed';
export { scenarios, type ScenarioName } from './engine/scenarios';
export type { Fault, FaultKind, FaultRequest } from './server/faults';
