/**
 * The ids under which quarantined sessions are stored. They and all rows of theirs belong to a game and an account that do not
 * exist, so that no answer contains them, and a release moves them back.
 */
const PREFIX = "quarantine:";

/** The id under which the quarantined sessions of a game or account are stored. */
export const toQuarantined = (id: string): string => `${PREFIX}${id}`;

export const isQuarantined = (id: string): boolean => id.startsWith(PREFIX);

/** The game or account of an id, quarantined or not. */
export const toOriginal = (id: string): string => (isQuarantined(id) ? id.slice(PREFIX.length) : id);
