/** Entry point of the editor script: functions the html file calls, and the watcher of the workspace. */
import { watchAdded } from './only-account';

export { prepare } from './form';
export { prepareAccount } from './account';
export { prepareListener as prepareEvents, saveEvents, saveListener } from './listener-form';
export { needed, prepareAlerts, validCurrency } from './alerts';
export { orderLabel } from './order-label';
export { say, sayStatuses } from './words';
export { valid, validLimit, validTopics, validUrl } from './validation';

watchAdded();
