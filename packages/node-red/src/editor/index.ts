/** What the forms in the html file call. */
export { prepare } from './form';
export { prepareAccount } from './account';
export { prepareEvents, prepareWalletEvents, saveEvents } from './events';
export { valid, validUrl } from './validation';
