/** What the forms in the html file call, and what watches the workspace beside them. */
import { watchAdded } from './only-account';

export { prepare } from './form';
export { prepareAccount } from './account';
export { prepareEvents, prepareWalletEvents, saveEvents } from './events';
export { sayStatuses } from './words';
export { valid, validLimit, validTopics, validUrl } from './validation';

watchAdded();
