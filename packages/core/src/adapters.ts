/**
 * What the adapter of a host such as n8n or Node-RED needs besides the client: forms, pickers, limits, shared streams.
 */
export { kindOfHost } from './host-names';
export { inBackground } from './background';
export { forgetOldest } from './bounded';
export { doubled } from './backoff';
export { assertProductionAllowed, isProduction } from './environment';
export { transportErrorOf } from './wire/transport-errors';
export { createAccounts, type AccountUse, type OpenAccount } from './accounts';
export { ANSWER_BYTES_MAX, deadline, sleep, type Deadline, type StreamingPorts } from './ports';
export { printable } from './printable';
export { excerpt } from './redaction';
export { isLost, LOST, seal, unseal, type Unsealed } from './sealed';
export { decoderOf, textOfBytes } from './wire/bytes';
export { instantOf, plainWord, readTime } from './wire/payload';
export { applies, inOneSpelling } from './input/input';
export { recordId } from './input/record-id';
export { accountOf } from './account';
export { commaList } from './comma-list';
export {
	readCount,
	readField,
	readStream,
	readWatch,
	type StoredFields,
	type StreamSettings,
} from './listener-settings';
export { readDecimal } from './decimal';
export { readSwitch } from './input/switch';
export { acceptValue, isEmpty, unsetVariable } from './input/value';
export { pickerChoices } from './client/choices';
export { answerRecords } from './client/narrowing';
export { namesToRead } from './reading-order';
export { acceptSelection, SELECTION_MS_MAX } from './client/event-selection';
export { checkAccess } from './client/access';
export { ownCheckpoint, withAccount, type CheckpointOwner } from './checkpoint-owner';
export { checkStream } from './stream/access';
export { applyLimits } from './orders/limits/account-limits';
export { limitFields, NO_LIMIT, readLimits, stopSwitch } from './orders/limits/limit-fields';
export { isNamed, nameTaken } from './orders/identity';
export { intentKey } from './wire/intent-key';
export { resolutionText } from './orders/reconciler';
export { withStanding } from './orders/standing';
export { HANDSHAKE_MS_MAX, MESSAGE_LENGTH_MAX } from './stream/limits';
export { lastingNotices, noticeText } from './stream/notice-text';
export { exampleEvent, sampleEvent } from './stream/sources/sample';
export { exampleOf, pollWatch, type Watch, type WatchEvent } from './watch/watch';
