import { limitFields, stopSwitch } from '@partner-exchange/core/adapters';
import { addressLabels } from '@partner-exchange/core/catalogue';
import { inEnglish, sayLabel } from './say';

/** Words of the three nodes that are not operations of the catalogue. */
export const accountWords = {
	label: 'account',
	environment: 'Environment',
	baseUrl: sayLabel(inEnglish, addressLabels.baseUrl),
	wsUrl: sayLabel(inEnglish, addressLabels.wsUrl),
	apiKey: 'API key',
	allowDifferentHosts: 'The two addresses are meant to be on different hosts',
	controlToken: 'Control token',
	controlTokenHelp: 'Token the sandbox was started with; one on this machine that was started without needs none',
	testHosts: 'Test hosts',
	testHostsHelp:
		'Hosts above where no real money is, separated by commas; any other host than this machine counts as production',
	names: 'Wire names',
	namesHelp: 'JSON object of input names to send instead of the assumed ones, such as {"order.list.limit":"page_size"}',
	limits: Object.fromEntries(
		Object.entries(limitFields).map(([name, { label }]) => [name, sayLabel(inEnglish, label)]),
	),
	limitsHelp: Object.fromEntries(
		Object.entries(limitFields).map(([name, { help }]) => [name, `${help} With none there is no limit.`]),
	),
	stopAllOrders: `${sayLabel(inEnglish, stopSwitch.label)}: nothing but cancels is sent from now on`,
	test: 'Test connection',
	connected: 'Connected: the key opens the __environment__ environment',
	noWallet: 'The key is valid, but it may not read the wallet, or the account is not ready',
	mayNot: 'Testing an account needs the permission to change flows',
	unreachable: 'Node-RED cannot be reached',
	stream: {
		title: 'State of the stream',
		again: 'Look again',
		none: 'No deployed node listens with this account in this Node-RED',
		connection: 'Connection',
		state: 'State',
		since: 'Since',
		error: 'Last problem',
		topic: 'Topic',
		position: 'Position',
		lag: 'Delay',
		delivered: 'Delivered',
		waiting: 'Waiting',
		filtered: 'Filtered out',
		gaps: 'Gaps',
		reads_waiting: 'Readings in the queue',
		notes: 'Notes',
		next: 'read next',
		queued: 'read after __others__ others',
		open_intents: 'Open order writes',
		incomplete: 'Order __order__: its fills add up to __counted__ of __expected__',
		states: {
			connecting: 'connecting',
			catching_up: 'catching up',
			live: 'connected',
			waiting: 'disconnected, tried again soon',
			refused: 'key refused, tried again later',
			closed: 'closed',
			failed: 'stopped',
		},
	},
	advanced: 'More',
	tip: "Every setting accepts an environment variable written as ${NAME}. The key stays in Node-RED's encrypted credentials.",
} as const;

/** What the forms of the listening nodes say beside their fields. */
export const eventWords = {
	allPairs: 'All pairs (live only)',
	filters: 'Only some events',
	delivery: 'Delivery',
	any: 'any',
	takenTip:
		'Wire the end of every path of the flow back into this node, also of those that drop a message, and keep msg.event on the way.',
	ports: {
		event: 'events',
		notice: 'notices',
		answer: 'answers to control messages',
		back: 'messages that come back',
		control: 'control messages',
		both: 'control messages, and messages that come back',
	},
} as const;
