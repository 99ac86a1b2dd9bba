/** The name of the credential's type, which saved workflows hold. */
export const CREDENTIAL = 'partnerExchangeApi';
