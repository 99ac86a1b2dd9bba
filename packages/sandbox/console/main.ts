import { balancesPanel } from './balances';
import { bookPanel, type BookMessage } from './book';
import { candlesPanel } from './candles';
import { clientsPanel } from './clients';
import { control } from './control';
import { byId, setOptions } from './dom';
import { faultsPanel } from './faults';
import { header } from './header';
import { keysPanel } from './keys';
import { linkStatus } from './link';
import { poll } from './poll';
import { recordsPanel } from './records';
import { requestsPanel } from './requests';
import { scenariosPanel } from './scenarios';
import { settingsPanel } from './settings';
import type { SandboxState } from './state';
import { followStream } from './stream';
import { ticketPanel } from './ticket';
import { tradesPanel, type Trade } from './trades';

const link = linkStatus();
const candles = candlesPanel();
const chosenAccount = byId<HTMLSelectElement>('account');

/** Books and trades come live from the public stream, everything else from the state. */
function follow(pair: string): void {
	const [book, tape] = [bookPanel(() => stream.refresh()), tradesPanel()];
	const key = pair.replaceAll('/', '_');
	const [bookTopic, tradesTopic] = [`orderbook.${key}`, `trades.${key}`];
	const stream = followStream({
		topics: [bookTopic, tradesTopic],
		snapshot: (topic, data) => {
			if (topic === bookTopic) book.replace(data as BookMessage);
			if (topic === tradesTopic) tape.replace((data as { trades?: Trade[] }).trades ?? []);
		},
		update: (topic, data) => {
			if (topic === bookTopic) book.change(data as BookMessage);
			if (topic !== tradesTopic) return;
			tape.add(data as Trade);
			candles.stale();
		},
		state: (state, retryMs) =>
			link('stream', state === 'open' ? null : `The stream was lost. Connecting again in ${inSeconds(retryMs)}.`),
	});
}

const inSeconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

function panels(ask: () => void): (state: SandboxState) => void {
	const [showHeader, showKeys, showBalances, showRecords] = [
		header(ask),
		keysPanel(),
		balancesPanel(),
		recordsPanel(ask),
	];
	const [showFaults, showScenarios] = [faultsPanel(ask), scenariosPanel(ask)];
	const [showTicket, showSettings] = [ticketPanel(ask), settingsPanel(ask)];
	const [showClients, showRequests] = [clientsPanel(), requestsPanel()];
	let following = false;
	return (state) => {
		setOptions(
			chosenAccount,
			state.accounts.map(({ email }) => ({ value: email, label: email })),
		);
		const pair = state.markets[0]?.pair_id;
		if (pair && !following) follow(pair);
		following ||= pair !== undefined;
		candles.pair(pair ?? '');
		showHeader(state);
		showKeys(state, chosenAccount.value);
		const account = state.accounts.find(({ email }) => email === chosenAccount.value);
		if (account) showBalances(account);
		if (account) showRecords(account);
		showTicket(state);
		showSettings(state);
		showFaults(state);
		showScenarios(state);
		showClients(state.clients);
		showRequests(state.recent_requests);
	};
}

const show = panels(() => ask());
const ask = poll({
	ask: control.state,
	show: (state) => {
		link('state', null);
		byId('main').removeAttribute('aria-busy');
		show(state);
	},
	failed: (reason, nextMs) => link('state', `${reason} Trying again in ${inSeconds(nextMs)}.`),
});
chosenAccount.addEventListener('change', ask);
