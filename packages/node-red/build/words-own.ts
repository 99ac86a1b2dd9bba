import { limitFields, stopSwitch } from '@partner-exchange/core/adapters';

/** Words of the three nodes that are not operations of the catalogue. */
export const accountWords = {
	label: 'account',
	environment: 'Environment',
	baseUrl: 'Service address',
	wsUrl: 'Stream address',
	apiKey: 'API key',
	allowDifferentHosts: 'The two addresses are meant to be on different hosts',
	controlToken: 'Control token',
	controlTokenHelp: 'Token a sandbox on another machine was started with; one on this machine needs none',
	testHosts: 'Test hosts',
	testHostsHelp:
		'Hosts above where no real money is, separated by commas; any other host than this machine counts as production',
	names: 'Wire names',
	namesHelp: 'JSON object of input names to send instead of the assumed ones, such as {"order.list.limit":"page_size"}',
	limits: Object.fromEntries(Object.entries(limitFields).map(([name, { label }]) => [name, sentenceCase(label)])),
	limitsHelp: Object.fromEntries(Object.entries(limitFields).map(([name, { help }]) => [name, help])),
	stopAllOrders: `${sentenceCase(stopSwitch.label)}: nothing but cancels is sent from now on`,
	test: 'Test connection',
	connected: 'Connected: the key opens the __environment__ environment',
	noWallet: 'The key is valid, but it may not read the wallet',
	mayNot: 'Testing an account needs the permission to change flows',
	unreachable: 'Node-RED cannot be reached',
	advanced: 'More',
	tip: "Every setting accepts an environment variable written as ${NAME}. The key stays in Node-RED's encrypted credentials.",
} as const;

export const eventWords = {
	topics: 'Listen to',
	pairs: 'Pairs',
	pairsHelp: 'Pairs of the public topics, separated by commas',
	filters: 'Only some events',
	statuses: 'Order status',
	side: 'Side',
	anySide: 'both',
	buy: 'buy',
	sell: 'sell',
	pair: 'Pair',
	minQuantity: 'Minimum quantity',
	missed: 'Deliver what happened while the flow was stopped',
	batch: 'Events per message',
	batchHelp: '1 sends each event on its own; more sends arrays of up to that many, and never waits to fill one',
	notices: 'Send connection notices too (second output)',
	control: 'Take control messages: start, stop, change topics (adds an input, and an output for the answers)',
	taken: 'An event is taken',
	takenWhenComplete: 'when the flow has completed it',
	takenAfterTime: 'after a time (what takes longer can be lost)',
	takenWhenBack: 'when its message comes back',
	takenHelp:
		'Until it is taken, an event is sent again after a deploy or a crash. Completed means that every node it went through has reported so; a Function node that goes on after it returned must call node.done(). The second way gives the node an input to wire the flow back into',
	takenTip:
		'Wire the end of every path of the flow back into this node, also of those that drop a message, and keep msg.event on the way.',
	settle: 'Seconds per event',
	settleHelp:
		'Seconds the flow needs to finish with an event. What lies in a queue for longer is lost when a deploy or a crash comes',
	store: 'Position kept in',
	ownFile: 'a file of its own (safe in a crash)',
	storeHelp: 'Where the place in the stream is kept, so that nothing is missed after a restart',
	delivery: 'Delivery',
	any: 'any',
	event: 'Watch',
	transactions: 'transactions',
	balances: 'a balance',
	currency: 'Currency',
	threshold: 'Threshold',
	thresholdHelp: 'The line to watch. A message is sent when the available balance crosses it',
	direction: 'Tell when',
	directions: { below: 'it falls below', above: 'it rises above', both: 'it does either' },
	hysteresis: 'Margin',
	hysteresisHelp: 'How far the balance must come back over the line before it can cross again',
	initial: 'Tell also when the balance is already past it',
	seconds: 'Every (seconds)',
	secondsHelp: 'Seconds between two looks',
	transactionStatus: 'Status',
	ports: {
		event: 'events',
		notice: 'notices',
		answer: 'answers to control messages',
		back: 'messages that come back',
		control: 'control messages',
		both: 'control messages, and messages that come back',
	},
} as const;

/** Forms of Node-RED write labels as sentences. */
function sentenceCase(label: string): string {
	return label.charAt(0) + label.slice(1).toLowerCase();
}
