import { control, type FaultOrder } from './control';
import { button, byId, element, setOptions, setText } from './dom';
import { act } from './notice';
import { rows } from './rows';
import type { ArmedFault, SandboxState } from './state';
import { commandOf, operationIds, operationOf, routeOf } from '@partner-exchange/core/catalogue';

/** Stands for "until disarmed": the most the sandbox takes. */
const timesMax = 1_000_000;

const times = [
	{ value: '1', label: 'once' },
	{ value: '3', label: '3 times' },
	{ value: '10', label: '10 times' },
	{ value: String(timesMax), label: 'until disarmed' },
];

const any = { value: '', label: 'any' };

/** Arms and disarms what the sandbox can do wrong; `changed` asks for the state at once. */
export function faultsPanel(changed: () => void): (state: SandboxState) => void {
	setOptions(byId('fault-count'), times);
	setOptions(byId('fault-operation'), [any, ...targets]);
	setOptions(byId('fault-route'), [any, ...routes.map((route) => ({ value: route, label: route }))]);
	const kind = byId<HTMLSelectElement>('fault-kind');
	const arm = byId<HTMLButtonElement>('fault-arm');
	let kinds: Record<string, string> = {};
	const describe = () => {
		setText(byId('fault-help'), kinds[kind.value] ?? '');
		arm.setAttribute('aria-label', `Arm ${kind.value}`);
	};
	kind.addEventListener('change', describe);
	byId('fault-form').addEventListener('submit', (event) => {
		event.preventDefault();
		void act(arm, () => control.arm(scoped(kind.value)), `Armed: ${kind.value}`).then(changed);
	});
	const showArmed = rows<ArmedFault>(byId('armed'), {
		key: (fault) => String(fault.id),
		create: (fault) => armedRow(fault, changed),
		empty: () => element('li', { class: 'empty' }, 'No fault is armed: the sandbox answers as it should.'),
	});
	return ({ faults, keys }) => {
		setOptions(byId('fault-key'), [any, ...keys.map(({ key }) => ({ value: key, label: key }))]);
		setText(byId('faults-count'), faults.armed.length ? `${faults.armed.length} armed` : '');
		showArmed(faults.armed);
		kinds = faults.kinds;
		setOptions(
			kind,
			Object.keys(kinds).map((name) => ({ value: name, label: name })),
		);
		describe();
	};
}

function scoped(kind: string): FaultOrder {
	const chosen = (id: string) => byId<HTMLSelectElement | HTMLInputElement>(id).value.trim();
	const text = (id: string, name: keyof FaultOrder) => (chosen(id) ? { [name]: chosen(id) } : {});
	const number = (id: string, name: keyof FaultOrder) => (chosen(id) ? { [name]: Number(chosen(id)) } : {});
	return {
		kind,
		times: Number(chosen('fault-count')),
		...text('fault-operation', 'operation'),
		...text('fault-route', 'route'),
		...text('fault-key', 'apiKey'),
		...text('fault-topic', 'topic'),
		...text('fault-idempotency', 'idempotencyKey'),
		...number('fault-after', 'after'),
		...number('fault-delay', 'delayMs'),
		...text('fault-retry', 'retryAfter'),
	};
}

function armedRow(first: ArmedFault, changed: () => void) {
	const words = element('span', { class: 'quiet' });
	const { id, kind } = first;
	const press = () => {
		void act(disarm, () => control.disarm(id), `Disarmed: ${kind}`).then(changed);
		// The row goes away with its button; the keyboard stays in the list.
		byId('armed').focus();
	};
	const disarm = button('Disarm', press, {
		class: 'small',
		attributes: { 'aria-label': `Disarm ${kind}` },
	});
	const node = element('li', { class: 'line' }, element('div', {}, element('strong', {}, kind), ' ', words), disarm);
	return { node, update: (fault: ArmedFault) => setText(words, reach(fault)) };
}

function reach(fault: ArmedFault): string {
	const { times: wanted, fired } = fault;
	const left = wanted >= timesMax ? 'until disarmed' : `${wanted - fired} more`;
	return [`on ${aim(fault)}`, left, fired ? `struck ${fired}×` : 'not struck yet'].join(', ');
}

function aim({ operation, route, topic, apiKey, idempotencyKey, after }: ArmedFault): string {
	const narrowed = [apiKey && `with ${apiKey}`, idempotencyKey && `of ${idempotencyKey}`, after && `after ${after}`];
	const places = [operation && labelOf(operation), route, topic].filter(Boolean).join(' and ') || 'anything';
	return [places, ...narrowed].filter(Boolean).join(' ');
}

/** What a fault can be aimed at: everything that goes over the wire by itself. */
const targets: readonly { value: string; label: string }[] = operationIds
	.filter((id) => routeOf(operationOf(id)) ?? commandOf(operationOf(id)))
	.map((id) => ({ value: id, label: operationOf(id).label }));

const routes: readonly string[] = operationIds.flatMap((id) => routeOf(operationOf(id)) ?? []);

const labelOf = (id: string): string => targets.find(({ value }) => value === id)?.label ?? id;
