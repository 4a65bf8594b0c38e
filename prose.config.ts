/** The prose check of `npm run lint`: which files it reads, which rules it runs, and our own banned phrases. */

/** What the check reads. Patterns match paths from the root of the project. */
export const sources = {
  folders: [".", "docs", "src", "clients", "scripts", "bench", "bin", "test"],
  /** Pages: all rules and the banned phrases. docs/reference contains the texts of `--help` and the man pages. */
  markdown: /^([^/]+|docs\/.+)\.md$/,
  /** Code: all rules for messages, and the banned phrases also for comments. */
  code: /^((src|clients|scripts|bench)\/.+\.(ts|mjs)|bin\/.+\.js)$/,
  /** Tests: only the banned phrases, in titles and comments. Other strings are test data. */
  tests: /^test\/.+\.ts$/,
  /** Strings here are SQL, or copies of texts that are checked where they come from. */
  ignore: /\.generated\.ts$|queries\.ts$|^src\/server\/db\//,
} as const;

/** What retext-simplify reports although it is a usual term of this field, or no worse than the suggestion. */
export const simplifyIgnore: readonly string[] = `
  additional, address, advise, all of, allocate, attempt, combined, component, contains, delete,
  determine, effect, equivalent, exclusively, forward, function, has no effect, however,
  identical, identify, immediately, in addition, in between, initial, interface, it appears, it
  is, maximum, minimum, modify, monitor, multiple, notify, option, parameters, portion, previous,
  provided, relative to, remain, render, request, require, requirement, submit, terminate, there
  are, there is, therefore, transmit, type, validate, very
`
  .split(",")
  .map((words) => words.trim().replace(/\s+/g, " "));

export interface BannedPhrase {
  /** Spellings to report. Case and line breaks do not matter; only whole words match. A final "." is the end of a clause. */
  phrases: readonly string[];
  /** What to write instead. */
  write: string;
}

const ban = (write: string, ...phrases: readonly string[]): BannedPhrase => ({ phrases, write });

/** Phrases that cost readers time: riddles, inverted sentences, and words that only this project used. */
export const bannedPhrases: readonly BannedPhrase[] = [
  ban('"by default", then the exception', "unless told", "unless asked", "until told", "unless said"),
  ban('"requested"', "asked for", "ask of", "asks of", "asked of"),
  ban(
    'the verb for what happens: "report", "show" or "return"',
    "is told",
    "are told",
    "was told",
    "be told",
  ),
  ban('"describe", "report" or "show"', "tells of", "tell of", "told of", "tells whether", "tells which"),
  ban(
    '"describe", "report" or "show"',
    "tells what",
    "tells how",
    "tells that",
    "what tells",
    "nothing tells",
  ),
  ban('"distinguish"', "tell apart", "tells apart", "told apart"),
  ban('"specified" or "reported"', "is said", "are said", "was said", "said so", "says so", "say so"),
  ban(
    '"is unchanged" or "is kept"',
    "stays as it is",
    "stay as they are",
    "stays as it was",
    "stay as they were",
  ),
  ban('"ignore" or "leave unchanged"', "let be", "lets be", "left be"),
  ban('"include" or "ship with"', "brings along", "bring along", "brought along", "brings with it"),
  ban("the number, or the noun that it counts", "so many", "so much"),
  ban('"for this long"', "so long"),
  ban('the noun, such as "a build that"', "one that", "ones that", "such a one"),
  ban('"specified" or "given"', "none is named", "is not named", "nothing is named"),
  ban('"badly"', "ill", "went ill"),
  ban('"at or before"', "no later"),
  ban('"at or after"', "no earlier"),
  ban('"repeatedly"', "again and again", "over and over"),
  ban('"again"', "once more", "anew", "afresh"),
  ban('"Not enough data to decide."', "neither pass nor fail"),
  ban('"always" or "anyway"', "all the same"),
  ban('"its own …" or "separate"', "of its own.", "of their own."),
  ban('"fix"', "mend", "mends", "mended", "mending"),
  ban('"confused"', "puzzled"),
  ban('"next to", "in addition to" or "with"', "beside", "besides"),
  ban("the time or the event", "by then", "ere"),
  ban('"represent" or "mean"', "stands for", "stand for"),
  ban('"is in"', "stands in", "stand in"),
  ban('"skip"', "pass over", "passes over", "passed over"),
  ban('"encounter" or "have"', "met it", "met them"),
  ban(
    '"session events" or "recorded sessions"',
    "recorded play",
    "studio's play",
    "the play of",
    "stored play",
  ),
  ban('"remote hosts"', "beyond this machine"),
  ban('"return" or "release"', "give back", "gives back", "given back", "puts back"),
  ban('"required"', "that it takes"),
  ban('"does not need"', "do without", "does without"),
  ban('"available"', "to be had"),
  ban('"existing"', "those there are", "those there", "one there is"),
  ban('"permanently"', "for good"),
  ban('"temporarily"', "for a while"),
  ban('"rarely"', "seldom", "seldomly"),
  ban('"completely"', "told whole", "read whole", "written whole"),
  ban('"similar"', "and the like", "or the like"),
  ban('"happens to"', "becomes of", "became of"),
  ban('"dependencies"', "surroundings"),
  ban('"timeout" or "retry policy"', "patience"),
  ban('"idle timeout"', "longest silence"),
  ban('"URL of the service"', "origin of the service"),
  ban('"management key" or "ingest key"', "key of scope"),
  ban('"below the threshold"', "not material"),
  ban('"counters"', "tallies"),
  ban('"observed names"', "sightings"),
  ban("a modern word", "thereof", "therein", "whereof", "whence", "thence", "hitherto", "henceforth", "lest"),
];
