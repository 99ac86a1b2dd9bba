/** Entry point of the editor script: functions the html file calls, and the watcher of the workspace. */
import { watchAdded } from './prefill';

export { prepare } from './form';
export { prepareAccount } from './account';
export { prepareListener as prepareEvents, saveEvents, saveListener } from './listener-form';
export { needed, prepareAlerts, validCurrency } from './listener-form';
export { orderLabel } from './form';
export { say, sayStatuses } from './words';
export { valid, validLimit, validTopics, validUrl } from './validation';

watchAdded();
