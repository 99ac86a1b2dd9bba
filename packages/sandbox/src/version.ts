/** Of the package; a test holds it to package.json, which a bundle does not carry. */
export const VERSION = '0.1.0';
