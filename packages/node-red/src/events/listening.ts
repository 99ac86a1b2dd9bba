/** A running events node: subscribes as its form or the last control message says. */
import {
	actionOf,
	asListed,
	choiceAfter,
	choiceOfForm,
	isChoice,
	sameChoice,
	withChoice,
	type TopicChoice,
	type ControlAction,
} from './control';
import { streamOf } from './event-settings';
import { failedText } from '../host/failure';
import type { Message } from '../host/types';
import { listen, report, selectionOf, subscriptionOf, type Listener } from './listener';
import { isPositionLost } from '../positions/position-file';
import { positionStore } from '../positions/positions';
import type { NodeSubscription } from './subscription';

export interface Listening {
	/** Executes a control message and returns the resulting topics, pairs and state. */
	control(message: Message): Promise<Record<string, unknown>>;
	/** Closes or detaches, and resolves when the position is stored. */
	leave(removed: boolean): Promise<void>;
}

export function createListening(listener: Listener): Listening {
	const { node, settings, status } = listener;
	const ofForm = choiceOfForm(settings);
	const store = choiceStore(listener);
	let choice = ofForm;
	let subscription: NodeSubscription | undefined;
	let gone = false;
	/** Runs the start and control messages one at a time, in order. */
	let last: Promise<unknown> = begin().catch((error: unknown) => report(listener, error));

	async function begin(): Promise<void> {
		if (settings.control === true) choice = await store.load(ofForm);
		await apply();
	}
	/** Subscribes, or unsubscribes, according to `choice`. */
	async function apply(): Promise<void> {
		try {
			await subscribe();
		} catch (error) {
			status.show('red', 'ring', isPositionLost(error) ? 'position lost' : failedText(error));
			throw error;
		}
	}
	async function subscribe(): Promise<void> {
		status.steered(!sameChoice(choice, ofForm));
		if (choice.isStopped) {
			await subscriptionOf(node.id)?.close();
			subscription = undefined;
			if (!gone) status.show('grey', 'ring', 'stopped');
		} else subscription = await listen({ ...listener, settings: withChoice(settings, choice) }, () => gone);
	}
	async function carryOut(action: ControlAction, message: Message): Promise<Record<string, unknown>> {
		const wanted = choiceAfter(choice, action, message);
		const isAsked = action === 'start' || action === 'change';
		const next = isAsked
			? asListed(wanted, (await selectionOf(listener, withChoice(settings, wanted))).topics)
			: wanted;
		const isNew = !sameChoice(next, choice);
		if (isNew) await store.save(next);
		choice = next;
		// `start` also restarts a subscription that failed, since the reason may have been removed.
		if (!gone && (isNew || (action === 'start' && !subscriptionOf(node.id)))) await apply();
		const { isStopped, topics, pairs } = choice;
		const subscribed = isStopped ? [] : streamOf(withChoice(settings, choice)).topics;
		return { listening: !isStopped, topics, pairs, subscribed };
	}
	return {
		control: async (message) => {
			const action = actionOf(message);
			const answer = last.then(async () => await carryOut(action, message));
			last = answer.catch(() => undefined);
			return await answer;
		},
		leave: async (removed) => {
			gone = true;
			await last;
			await (removed ? subscription?.close() : subscription?.detach());
		},
	};
}

/** Stores the choice of control messages across deploys and restarts; a changed form discards it. */
function choiceStore(listener: Listener) {
	const { settings, account } = listener;
	const { topics, pairs } = choiceOfForm(settings);
	const form = JSON.stringify([topics, pairs]);
	const store = positionStore(listener, { wsUrl: account.wsUrl, form }, 'choice');
	return {
		load: async (ofForm: TopicChoice): Promise<TopicChoice> => {
			const stored = await store.load();
			return isChoice(stored) ? stored : ofForm;
		},
		save: async (choice: TopicChoice) => await store.save(choice),
	};
}
