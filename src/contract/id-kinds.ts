/** The kinds of ids that can be shortened, by their prefix. Without schemas, because tables need it. */
export const idKinds = ["sess", "ins", "exp", "ptb", "sub", "bug"] as const;
export type ShortIdKind = (typeof idKinds)[number];

/** The length of an id that the service creates, without its kind and the underscore. */
export const ID_LENGTH = 24;

/** The number of characters after the underscore that tables show at least, and that a command needs to change data. */
export const MIN_SHORT_ID_LENGTH = 8;
