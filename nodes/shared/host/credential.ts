/** The name of our credential's type, which saved workflows hold. */
export const CREDENTIAL = 'partnerExchangeApi';
