/** Starts, continues and stops scenarios. Runs are part of the state, so they continue after a restart. */
import { conflict, invalid } from './refusal';
import { contextOf, scenarios, type Scenario, type ScenarioName } from './scenarios';
import { schedule, unschedule } from './schedule';
import type { Account, ScenarioRun } from './state';
import type { World } from './world';

/** A stage that waits for an order retries after this time, at most AGAIN_MAX times. */
const AGAIN_MS = 50;
const AGAIN_MAX = 10_000;
const RUNS_MAX = 20;

export function startScenario(world: World, name: ScenarioName, account: Account): { scenario: string } {
	const { state } = world;
	const scenario = scenarioOf(name);
	requireMarket(world, name, scenario);
	if (state.scenarios.length >= RUNS_MAX)
		throw conflict('too_many_scenarios', `At most ${RUNS_MAX} scenarios run at once.`);
	const run: ScenarioRun = {
		number: ++state.taskCount,
		name,
		stage: 0,
		again: 0,
		accountId: account.id,
		effects: scenario.effects ?? {},
	};
	state.scenarios.push(run);
	try {
		playStage(world, run.number);
	} catch (error) {
		end(world, run);
		throw error;
	}
	return { scenario: name };
}

function requireMarket({ state }: World, name: ScenarioName, { needsMarket, holdsPrice }: Scenario): void {
	const other = holdsPrice && state.scenarios.find((run) => scenarioOf(run.name).holdsPrice);
	if (other)
		throw conflict('scenario_running', `${other.name} is running and moves or holds the price. Stop it or let it end.`);
	if (needsMarket && state.settings.marketMaker === 'off')
		throw conflict('no_market_maker', `${name} moves the seeded market, which is off. Set marketMaker to live.`);
	const halted = (needsMarket || holdsPrice) && ![...state.markets.values()][0]?.rules.trading;
	if (halted) throw conflict('market_halted', `${name} needs a market that trades. Resume trading first.`);
}

/** Stops all runs of a scenario; orders they placed stay. */
export function stopScenario(world: World, name: ScenarioName): { scenario: string } {
	const { restore } = scenarioOf(name);
	for (const run of world.state.scenarios.filter((each) => each.name === name)) {
		end(world, run);
		restore?.(world, run.stage);
	}
	return { scenario: name };
}

function end({ state }: World, { number }: ScenarioRun): void {
	state.scenarios = state.scenarios.filter((run) => run.number !== number);
	unschedule(state, (step) => step.kind === 'scenario' && step.number === number);
}

export function playStage(world: World, number: number): void {
	const { state } = world;
	const run = state.scenarios.find((each) => each.number === number);
	if (!run) return;
	const { stages } = scenarioOf(run.name);
	const played = stages[run.stage]?.play(contextOf(world, run));
	if (played === 'again' && run.again < AGAIN_MAX) {
		run.again++;
		return schedule(state, state.now + AGAIN_MS, { kind: 'scenario', number });
	}
	if (played && played !== 'again') run.orderId = played.id;
	const next = stages[++run.stage];
	if (!next) return end(world, run);
	run.again = 0;
	schedule(state, state.now + next.afterMs, { kind: 'scenario', number });
}

function scenarioOf(name: string): Scenario {
	if (!Object.hasOwn(scenarios, name)) throw invalid('unknown_scenario', `There is no scenario ${String(name)}.`);
	return scenarios[name as ScenarioName];
}
