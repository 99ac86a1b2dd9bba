import { control } from './control';
import { button, byId, element, setText, type Child } from './dom';
import { act } from './notice';
import { rows } from './rows';
import type { RunningScenario, SandboxState, Scenario } from './state';

interface ScenarioState {
	scenario: Scenario;
	running?: RunningScenario;
}

/** Each scenario has one button, which starts it or stops it. */
export function scenariosPanel(changed: () => void): (state: SandboxState) => void {
	const show = rows<ScenarioState>(byId('scenarios'), {
		key: ({ scenario }) => scenario.name,
		create: (first) => scenarioRow(first, changed),
		empty: () => element('li', { class: 'empty' }, 'This sandbox offers no scenarios.'),
	});
	return ({ scenarios, running_scenarios: running }) => {
		setText(byId('scenarios-count'), running.length ? `${running.length} running` : '');
		show(scenarios.map((scenario) => ({ scenario, running: running.find(({ name }) => name === scenario.name) })));
	};
}

function scenarioRow({ scenario: { name, label, help } }: ScenarioState, changed: () => void) {
	let runs = false;
	const toggle = () =>
		runs
			? act(press, () => control.stop(name), `Stopped: ${label}`)
			: act(press, () => control.start(name, byId<HTMLSelectElement>('account').value), `Started: ${label}`);
	const press = button('Start', () => void toggle().then(changed), { class: 'small' });
	const step = element('span', { class: 'step' });
	const node = choiceRow(label, [help, step], press);
	const update = ({ running }: ScenarioState) => {
		runs = running !== undefined;
		setText(press, runs ? 'Stop' : 'Start');
		press.setAttribute('aria-label', `${runs ? 'Stop' : 'Start'} ${label}`);
		setText(step, running ? `Running, step ${running.stage + 1}` : '');
		node.classList.toggle('active', runs);
	};
	return { node, update };
}

/** A name, a line about it, and a button. */
const choiceRow = (name: string, about: readonly Child[], press: HTMLButtonElement): HTMLElement =>
	element('li', {}, element('div', {}, element('strong', {}, name), ...about.map(quiet)), press);

const quiet = (child: Child): Node => (typeof child === 'string' ? element('span', { class: 'quiet' }, child) : child);
