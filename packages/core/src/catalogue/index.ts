import type { Operation } from './operation';
import { computed } from './computed';
import { markets } from './markets';
import { orders } from './orders';
import { recipients } from './recipients';
import { sandbox } from './sandbox';
import { simulation } from './simulation';
import { stream } from './stream';
import { wallets } from './wallets';

/** Everything the service offers, by operation id. */
export const operations = {
	...orders,
	...computed,
	...markets,
	...wallets,
	...recipients,
	...simulation,
	...stream,
	...sandbox,
};

/** The type of {@link operations}: every entry with its literal types. */
export type Operations = typeof operations;
/** The id of an operation, `<resource>.<verb>`: `order.create`. */
export type OperationId = keyof Operations;
/** The id of an operation whose answer is a list. */
export type ListId = { [Id in OperationId]: Operations[Id] extends { list: object } ? Id : never }[OperationId];

/** The ids of all operations, in the order of the catalogue. */
export const operationIds = Object.keys(operations) as OperationId[];

/** The entry of an operation id, typed with all optional parts. */
export const operationOf = (id: OperationId): Operation => operations[id];

/** The ids of the operations that an operation is computed from. */
export const composedOf = ({ run }: Operation): readonly OperationId[] =>
	run.via === 'composed' ? (run.of as readonly OperationId[]) : [];

/**
 * Splits the id of an operation into its resource and verb.
 *
 * @example
 * nameParts('order.create'); // { resource: 'order', verb: 'create' }
 */
export function nameParts(id: OperationId): { resource: string; verb: string } {
	const [resource, verb] = id.split('.') as [string, string];
	return { resource, verb };
}

export { wantedOf } from './field';
export { orderNames } from './terms';
export type { Field, FieldKind, Fields, Input, PickerId, Unit, Value } from './field';
export type { Output, Shape } from './shape';
export { additions, type Addition, type AdditionId, type WaitEnd } from './additions';
export {
	answerOf,
	commandOf,
	controlOf,
	isOrderWrite,
	isRead,
	isSentOnce,
	isWrite,
	makesAnOrder,
	optionOf,
	optionsOfForm,
	routeOf,
} from './operation';
export type { Access, CommandAction, Composition, IntentKind, Operation, Paging, Retry, Route, Run } from './operation';
export { finality, openStatuses, orderRank, orderStatuses, statusMeant } from './statuses';
export { orderTypes, sides, timesInForce, transactionFinality, transactionStatuses } from './statuses';
export { accountLabels, addressLabels, environments, type Environment } from './environments';
export { CANDLES_DEFAULT, TRADES_DEFAULT } from './markets';
export { notices, remedies, type GapNotice, type IncompleteFillsNotice, type NoticeId } from './notices';
export type { ConnectionStatus, ProcessStatus, StreamStatus, TopicStatus } from './stream';
export {
	exactTopics,
	isPrivate,
	isWildcard,
	mayMean,
	pairKey,
	resume,
	splitTopic,
	topicNames,
	topics,
	TOPICS_PER_CONNECTION_MAX,
	wildcard,
	type TopicId,
} from './topics';
export { commandErrorCodes, commands, type CommandErrorCode } from './commands';
export {
	listeners,
	watchable,
	type ListenerField,
	type ListenerFields,
	type ListenerForm,
	type WatchableId,
} from './listeners';
export { isToChoose, options, writeGuards, type Option, type OptionId, type Options, type OptionsOf } from './options';
export { pickers, type Picker } from './pickers';
export { usual, usualFill } from './usual';
