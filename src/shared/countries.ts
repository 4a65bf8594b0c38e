/** Countries, as ISO 3166-1 alpha-2 codes. */

export const COUNTRY_CODE = /^[A-Z]{2}$/;

/** What a country must be, for messages. */
export const COUNTRY_SYNTAX = "an ISO 3166 alpha-2 code such as DE";
