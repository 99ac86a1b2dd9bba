/**
 * What a script needs to trade, subscribe and settle. `/catalogue` describes what the service offers, `/node` has the
 * ports of plain Node, `/adapters` what a host needs, and `/testing` what only tests use.
 */
export type { Account, AccountInput } from './account';
export { ExchangeError, errorCodes, isExchangeError, type ErrorCode, type ErrorOf } from './errors';
export { redact } from './redaction';
export { TransportError } from './ports';
export type { Clock, HttpRequest, HttpResponse, OpenSocket, Ports, SendHttp, Socket, SocketHandlers } from './ports';
export { createClient } from './client/client';
export type { Client } from './client/contract';
export type { List } from './client/list';
export type * from './client/methods';
export type { CallContext, Progress, Warning } from './context';
export { named, type Named } from './wire/records';
export type { Item } from './wire/payload';
export { add, compare, divide, isDecimal, multiply, subtract } from './decimal';

export type { OrderPorts, Resolution } from './orders/deps';
export { createAccountLimits, type AccountLimits } from './orders/limits/account-limits';
export type { LimitSettings } from './orders/limits/limit-fields';
export { createAccountMemory, type AccountMemory } from './orders/memory';
export type { IntentEntry, IntentJournal } from './orders/journal';
export type { Recovery } from './orders/reconciler';
export type { OrderEvents } from './orders/wakeup';

export { createStream, type StreamPorts } from './stream/stream';
export type {
	CommandAck,
	Consumer,
	Counters,
	StoredCheckpoint,
	Stream,
	StreamEvent,
	StreamNotice,
	StreamState,
	Subscription,
} from './stream/contract';

export { pollBalances, type BalanceEvent, type Threshold } from './watch/balances';
export { pollRates, type RateEvent, type RateThreshold } from './watch/rates';
export { pollTransactions, type TransactionEvent } from './watch/transactions';
export type { TransactionState } from './watch/transaction-log';
