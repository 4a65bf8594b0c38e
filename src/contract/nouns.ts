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

const inGame = (command: string, listed: string, tool: string) =>
  ({ command, listed, inGame: true, tool }) as const;

export const nouns = {
  game: { command: "games list", listed: "the games this key can read", tool: "list_games" },
  session: { command: "sessions list", listed: "the sessions this key can read", tool: "list_sessions" },
  build: inGame("builds list", "the game's builds", "list_builds"),
  device: inGame("testers list --wide", "the game's testers with their devices", "list_testers"),
  tester: inGame("testers list", "the game's testers", "list_testers"),
  batch: inGame("batches list", "the game's batches", "list_batches"),
  experiment: inGame("experiments list", "the game's experiments", "list_game_experiments"),
  insight: { command: "insights list --wide", listed: "the insights with their ids", tool: "list_insights" },
  "bug report": inGame(
    "bug-reports list --wide",
    "the game's bug reports with their ids",
    "list_bug_reports",
  ),
  submission: inGame("feedback list --wide", "the game's feedback with its ids", "list_feedback"),
  form: inGame("feedback list", "the feedback of all forms", "list_game_feedback_forms"),
  receiver: {
    command: "admin webhooks list",
    listed: "the webhooks: a receiver has the event gate.decided",
    tool: null,
  },
  claimToken: { command: null, tool: null, secret: true },
} as const satisfies Readonly<Record<string, NounKind>>;

export type Noun = keyof typeof nouns;

/** Returns where the names of a noun are listed. */
export function nounKind(noun: Noun): NounKind {
  return nouns[noun];
}
