import type { OperationId, Operations } from '@partner-exchange/core/catalogue';

/** What the forms say beyond the catalogue: the words of Node-RED's own parts of them. */
export const words = {
	account: 'Account',
	name: 'Name',
	operation: 'Operation',
	limit: 'Limit',
	limitHelp: 'Most results in all; leave it empty for every result',
	output: 'Send',
	outputArray: 'one message with all results',
	outputEach: 'one message per result',
	keep: 'Keep original in',
	keepHelp: 'Property of the message that keeps what came in msg.payload, such as row: the answer takes its place',
	options: 'Options',
	optional: 'optional',
	production: 'Allow production: this node may act where money is real',
	ports: { answer: 'answer', unknown: 'outcome unknown', event: 'event' },
	example: 'e.g. __example__',
	exampleOfList: 'e.g. __example__; click for the list',
	ofList: 'click for the list',
	notSet: 'default',
	any: 'any',
	choose: 'choose one',
	at: 'at __price__',
	worth: '≈ __amount__ __currency__ at the current price',
	kinds: { choice: 'choice', number: 'number', text: 'text' },
	invalid: {
		decimal: '__field__ must be a number such as 100.00',
		separators: '__field__ must be without separators: write __plain__',
		step: 'More decimals than the market takes: write __plain__',
		integer: '__field__ must be a whole number',
		id: '__field__ may contain letters, digits, _ and - only',
		empty: '__field__ needs the name of what to take it from',
		url: '__field__ must be a complete address such as __example__',
		limit: '__field__ must be a number, or none',
		currency: '__field__ must be one of the wallet: __currencies__',
		required: '__field__ is needed for what is watched',
		topics: 'Nothing is chosen to listen to',
	},
	list: {
		unreadable: 'The list cannot be read now: type the value',
		undeployed: 'Deploy the account first, or type the value',
	},
	form: 'What you enter here stays fixed. A field of msg.payload, such as __field__, fills only what is left empty here, and a field can point at a property of the message.',
} as const;

type PaletteName = Operations[OperationId]['palette'];
type IdsIn<Name> = { [Id in OperationId]: Operations[Id]['palette'] extends Name ? Id : never }[OperationId];
type IsSeveral<Ids, Id = Ids> = Id extends Ids ? ([Ids] extends [Id] ? false : true) : never;
type SharedPalette = { [Name in PaletteName]: true extends IsSeveral<IdsIn<Name>> ? Name : never }[PaletteName];

/** What the nodes of the palette that offer several operations are for. A missing entry does not compile. */
export const introductions: Readonly<Record<SharedPalette, string>> = {
	market: 'Reads what the market shows, such as its order book.',
	wallet: 'Reads what belongs to the wallet, such as its deposit account.',
	transactions: 'Reads deposits, withdrawals and other movements of the wallet.',
	recipients: 'Manages the address book. It never moves money.',
	'simulate-deposit': 'Credits test money to a test account. It does not exist in production.',
	sandbox: 'Steers the local sandbox: its clock, its faults and its scenarios. It does not exist elsewhere.',
	simulate: 'Plays the other simulations. They do not exist in production.',
};

/** One colour and one icon per family, so that a flow reads at a glance. */
export const families: readonly { matches: RegExp; color: string; icon: string }[] = [
	{ matches: /^(simulate|sandbox)/, color: '#c9b6e4', icon: 'simulate.svg' },
	{ matches: /events$|^alerts|^stream/, color: '#f2c879', icon: 'events.svg' },
	{ matches: /order|fills/, color: '#9fd0c0', icon: 'order.svg' },
	{ matches: /market/, color: '#a9c8ec', icon: 'market.svg' },
	{ matches: /recipients|verify/, color: '#e3bfa0', icon: 'recipients.svg' },
	{ matches: /./, color: '#b5cfa0', icon: 'wallet.svg' },
];

export const familyOf = (name: string) => families.find(({ matches }) => matches.test(name))!;

/** `create-order` as it is called. */
export const titleOf = (name: string): string => name.replaceAll('-', ' ');

/** Names as the palette shows them, with the words people search it for. */
export const paletteTitles: Readonly<Record<string, string>> = {
	events: 'events (fills, orders, trades)',
	alerts: 'alerts (rates, prices, balances, deposits)',
	'create-order': 'create order (trade: buy, sell USD for naira)',
	'verify-account': 'verify account (bank)',
	market: 'market (rates, prices, trades)',
	recipients: 'recipients (payee, beneficiary)',
	transactions: 'transactions (history, withdrawals)',
	simulate: 'simulate (withdrawal, business verification)',
};
