/** A running events node: subscribes as its form or the last control message says. */
import { doubled, inBackground, isLost, sleep } from '@partner-exchange/core/adapters';
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
import { listen, selectionOf, subscriptionOf, type Listener, type NodeSubscription } from './subscription';
import { failedText } from '../host/failure';
import { reportOnce } from '../host/status';
import { notify } from '../host/host-node';
import { ports } from '../host/ports';
import type { Message } from '../host/types';
import { isCheckpointLost, checkpointStore } from '../checkpoints/checkpoints';

/** The pauses before a node that could not begin tries again. */
const AGAIN_MS = { base: 1_000, cap: 60_000 };

export interface Listening {
	/** Executes a control message and returns the resulting topics, pairs and state. */
	control(message: Message): Promise<Record<string, unknown>>;
	/** Closes or detaches, and resolves when the checkpoint is stored. */
	leave(removed: boolean): Promise<void>;
}

export function createListening(listener: Listener): Listening {
	const { node, settings, status } = listener;
	const ofForm = choiceOfForm(settings);
	const store = choiceStore(listener);
	let choice = ofForm;
	let subscription: NodeSubscription | undefined;
	let isBegun = false;
	const gone = new AbortController();
	/** Runs the start and control messages one at a time, in order. */
	let last: Promise<unknown> = Promise.resolve();
	inBackground(keepBeginning());

	/**
	 * Tries until the node has begun, because the reason may pass, as when the service is away. Each reason is said
	 * once.
	 */
	async function keepBeginning(): Promise<void> {
		let said = '';
		for (let tries = 0; !isBegun && !gone.signal.aborted; tries += 1) {
			const begun = last.then(begin);
			last = begun.catch(() => undefined);
			said = await begun.then(
				() => '',
				(error: unknown) => report(error, said),
			);
			if (!isBegun) await sleep(ports.clock, doubled(AGAIN_MS, tries), gone.signal);
		}
	}
	function report(error: unknown, before: string): string {
		const text = reportOnce(listener, error, before);
		if (isCheckpointLost(error) && text !== before) notify(listener, { kind: 'checkpoint_lost', text });
		return text;
	}
	async function begin(): Promise<void> {
		if (isBegun || gone.signal.aborted) return;
		if (settings.control === true) choice = await store.load(ofForm);
		await apply();
	}
	/** Subscribes, or unsubscribes, according to `choice`. */
	async function apply(): Promise<void> {
		try {
			await subscribe();
			isBegun = true;
		} catch (error) {
			status.show('red', 'ring', failedText(error));
			throw error;
		}
	}
	async function subscribe(): Promise<void> {
		status.steered(!sameChoice(choice, ofForm));
		if (choice.isStopped) {
			await subscriptionOf(node.id)?.close();
			subscription = undefined;
			if (!gone.signal.aborted) status.show('grey', 'ring', 'stopped');
		} else
			subscription = await listen({ ...listener, settings: withChoice(settings, choice) }, () => gone.signal.aborted);
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
		if (!gone.signal.aborted && (isNew || (action === 'start' && !subscriptionOf(node.id)))) await apply();
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
			gone.abort();
			await last;
			await (removed ? subscription?.close() : subscription?.detach());
		},
	};
}

const CHOICE_LOST =
	'What control messages had chosen is of another version or damaged, and is not read; the node listens to the topics of its form';

/** Stores the choice of control messages across deploys and restarts; a changed form discards it. */
function choiceStore(listener: Listener) {
	const { node, settings, account } = listener;
	const { topics, pairs } = choiceOfForm(settings);
	const form = JSON.stringify([topics, pairs]);
	const store = checkpointStore(listener, { wsUrl: account.wsUrl, form }, 'choice');
	return {
		load: async (ofForm: TopicChoice): Promise<TopicChoice> => {
			const stored = await store.load();
			if (isLost(stored)) node.warn(CHOICE_LOST);
			return isChoice(stored) ? stored : ofForm;
		},
		save: async (choice: TopicChoice) => await store.save(choice),
	};
}
