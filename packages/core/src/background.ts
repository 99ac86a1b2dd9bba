/**
 * Lets work run whose result nobody waits for. A rejection ends here: a host exits on one that nobody handles, so work
 * that must be told of or tried again has its own catch.
 */
export const inBackground = (work: Promise<unknown>): void => void work.catch(() => undefined);
