/** The limits of webhooks and their outbox. */

/** Maximum number of webhooks of an account. Each event that they want is stored once for each of them. */
export const MAX_WEBHOOKS = 20;
/** Maximum number of events that wait for one webhook. Further events are dropped. */
export const MAX_PENDING = 1_000;
/** Maximum size of a body, in characters. Texts in it are truncated long before. */
export const MAX_BODY_LENGTH = 64_000;
/** An event is given up after this many attempts, or at this age in ms. */
export const MAX_ATTEMPTS = 30;
export const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** How long an event is kept after its creation, to be sent again, in ms. Then no replay tries it further. Holidays are shorter. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Maximum number of events of a webhook that are kept after they were sent or dropped. The newest ones are. */
export const MAX_KEPT = 1_000;
/** Time until a lease expires, in ms. It is longer than any request, so it need not be renewed. */
export const LEASE_MS = 30_000;
/** The wait after the first failed attempt, in ms. It doubles with each failure up to the maximum. */
export const FIRST_BACKOFF_MS = 5_000;
export const MAX_BACKOFF_MS = 60 * 60 * 1000;
/** How long events of a kind are gathered for a chat channel after one was sent, in ms. */
export const BURST_MS = 60_000;
