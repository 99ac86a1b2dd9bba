import { aside, choice, integer, text } from './field';
import { operation } from './operation';
import { outputModes } from './options';

/**
 * Operations that control the local sandbox. They are no part of the service: they are sent to the sandbox's control,
 * and only an account of environment sandbox has one.
 */
const control = { access: 'public', nonProduction: true, sandboxOnly: true, palette: 'sandbox' } as const;
const done = { done: 'boolean' } as const;

const faultKinds = [
	...['refuse', 'delay', 'drop-before-commit', 'commit-then-drop', 'hang', 'commit-then-hang', 'commit-then-delay'],
	...['truncate', 'html-502', 'commit-then-502', 'server-error', 'unauthorized', 'forbidden', 'conflict'],
	...['too-many-requests', 'drop-stream', 'silence-stream', 'refuse-stream', 'refuse-resume', 'new-epoch'],
	...['duplicate-event', 'reorder-events', 'skip-event'],
];
const scenarios = [
	...['partial-fill-then-cancel', 'rejected-order', 'slow-settlement', 'failed-deposit', 'credit-overdue'],
	...['quiet-market', 'flash-move'],
];

export const sandbox = {
	'sandbox.get': operation({
		...control,
		label: 'Get Sandbox',
		action: 'Get sandbox state',
		help: 'Read what the sandbox holds: clock, settings, accounts, armed faults and running scenarios',
		run: { via: 'control', control: 'GET /_sandbox/state' },
		input: {},
		options: outputModes,
		output: {
			production: 'boolean',
			now: 'timestamp',
			clock: 'text',
			clock_advance: 'unspecified?',
			epoch: 'text',
			settings: 'unspecified',
			accounts: ['unspecified'],
			markets: ['unspecified'],
			faults: 'unspecified',
			running_scenarios: ['unspecified'],
			requests: 'integer',
		},
		essentials: ['now', 'clock', 'epoch', 'settings', 'running_scenarios', 'requests'],
	}),
	'sandbox.reset': operation({
		...control,
		label: 'Reset Sandbox',
		action: 'Reset sandbox',
		help: 'Replace the exchange with a new one that has IDs of its own',
		run: { via: 'control', control: 'POST /_sandbox/reset' },
		input: {},
		output: done,
	}),
	'sandbox.armFault': operation({
		...control,
		label: 'Arm Fault',
		action: 'Arm fault',
		help: 'Let something go wrong on purpose',
		run: { via: 'control', control: 'POST /_sandbox/faults' },
		input: {
			kind: choice(faultKinds, { label: 'Fault', help: 'What goes wrong', example: 'commit-then-drop' }),
			operation: aside(
				text({
					label: 'For Operation',
					help: 'Operation whose requests go wrong; any when empty',
					example: 'order.create',
					maxLength: 64,
				}),
			),
			topic: aside(
				text({ label: 'For Topic', help: 'Topic whose events go wrong', example: 'user.fills', maxLength: 128 }),
			),
			times: aside(integer({ label: 'Times', help: 'How often it goes wrong; once when empty', example: '1', min: 1 })),
			after: aside(
				integer({
					label: 'Skip First',
					help: 'How many requests or events go well before the first goes wrong',
					example: '0',
					min: 0,
				}),
			),
			delayMs: aside(
				integer({
					label: 'Delay in Milliseconds',
					help: 'How long a delay lasts; 1000 when empty',
					example: '5000',
					min: 0,
				}),
			),
			retryAfter: aside(
				text({
					label: 'Retry After in Seconds',
					help: 'How many seconds the answer asks to wait (its header Retry-After)',
					example: '2',
					maxLength: 64,
				}),
			),
		},
		output: { id: 'integer', kind: 'text', times: 'integer', after: 'integer', fired: 'integer' },
	}),
	'sandbox.clearFaults': operation({
		...control,
		label: 'Clear Faults',
		action: 'Clear all faults',
		help: 'Disarm every fault',
		run: { via: 'control', control: 'DELETE /_sandbox/faults' },
		input: {},
		output: done,
	}),
	'sandbox.moveClock': operation({
		...control,
		label: 'Move Clock',
		action: 'Move clock',
		help: 'Let time pass in a sandbox that was started with a virtual clock',
		run: { via: 'control', control: 'POST /_sandbox/clock' },
		input: {
			advance_ms: integer({
				label: 'Milliseconds to Advance',
				help: 'How far the clock moves; 3600000 is an hour',
				example: '60000',
				min: 0,
			}),
		},
		output: { now: 'timestamp', clock_advance: 'unspecified?' },
	}),
	'sandbox.runScenario': operation({
		...control,
		label: 'Run Scenario',
		action: 'Run scenario',
		help: 'Start a scripted sequence of events',
		run: { via: 'control', control: 'POST /_sandbox/scenarios' },
		input: {
			name: choice(scenarios, {
				label: 'Scenario',
				help: 'Which scenario to run',
				example: 'partial-fill-then-cancel',
			}),
			email: aside(
				text({
					label: 'Account Email',
					help: 'Account the scenario runs for; the trader when empty',
					example: 'trader@sandbox.test',
					maxLength: 254,
				}),
			),
		},
		output: { scenario: 'text' },
	}),
};
