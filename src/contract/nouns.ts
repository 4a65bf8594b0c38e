/** The kinds of names in requests, and the commands and tools that list existing names. */

export interface NounKind {
  /** The command that lists the names; null if there is none. */
  readonly command: string | null;
  /** What the command lists, to complete "to see …". */
  readonly listed?: string;
  /** True if the command lists the names of one game. */
  readonly inGame?: true;
  /** The tool that lists the names; null if there is none. */
  readonly tool: string | null;
  /** True if the name is a secret, which messages must not contain. */
  readonly secret?: true;
}

export const nouns = {
  game: { command: "games list", listed: "the games this key can read", tool: "list_games" },
  session: { command: "sessions list", listed: "the sessions this key can read", tool: "list_sessions" },
  build: {
    command: "builds list",
    listed: "the game's builds",
    inGame: true,
    tool: "list_builds",
  },
  device: {
    command: "testers list --wide",
    listed: "the game's testers with their devices",
    inGame: true,
    tool: "list_testers",
  },
  tester: { command: "testers list", listed: "the game's testers", inGame: true, tool: "list_testers" },
  batch: { command: "batches list", listed: "the game's batches", inGame: true, tool: "list_batches" },
  experiment: {
    command: "experiments list",
    listed: "the game's experiments",
    inGame: true,
    tool: "list_game_experiments",
  },
  insight: {
    command: "insights list --wide",
    listed: "the insights with their ids",
    tool: "list_insights",
  },
  "bug report": {
    command: "bug-reports list --wide",
    listed: "the game's bug reports with their ids",
    inGame: true,
    tool: "list_bug_reports",
  },
  submission: {
    command: "feedback list --wide",
    listed: "the game's feedback with its ids",
    inGame: true,
    tool: "list_feedback",
  },
  form: {
    command: "feedback list",
    listed: "the feedback of all forms",
    inGame: true,
    tool: "list_game_feedback_forms",
  },
  receiver: { command: "admin webhooks list", listed: "the webhooks with their names", tool: null },
  claimToken: { command: null, tool: null, secret: true },
} as const satisfies Readonly<Record<string, NounKind>>;

export type Noun = keyof typeof nouns;

/** Returns where the names of a noun are listed. */
export function nounKind(noun: Noun): NounKind {
  return nouns[noun];
}
