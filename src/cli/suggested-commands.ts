/**
 * Adds flags to the commands that hints suggest. A user who has selected a profile, service, game or database with flags
 * would otherwise run the suggested command on another one.
 */

/** The flags that select what a command works on, as the user wrote them. */
export interface SelectionFlags {
  readonly profile?: unknown;
  readonly baseUrl?: unknown;
  readonly allowHttp?: unknown;
  readonly game?: unknown;
  readonly database?: unknown;
  readonly account?: unknown;
}

/** Commands that work on the data of one game. */
const IN_GAME =
  /^(sessions|insights|builds|testers|experiments|batches|handles|heatmap|events|gate(?! init)|report|export|admin (?!accounts|games|keys|providers))\b/;
/** Commands that work without a service. */
const LOCAL = /^(admin|server|profiles|config|logout|completion|gate init)\b/;
/** Commands that open a database. */
const ON_DATABASE = /^(admin|server (?!status))\b/;

interface SelectionFlag {
  readonly key: keyof SelectionFlags;
  readonly flag: string;
  /** Whether a command, such as `builds list`, depends on the flag. */
  readonly isUsedBy: (command: string) => boolean;
}

const selectionFlags: readonly SelectionFlag[] = [
  {
    key: "profile",
    flag: "--profile",
    // The profile of a local command only matters because it can set the game.
    isUsedBy: (command) =>
      !LOCAL.test(command) || /^(config|logout)\b/.test(command) || IN_GAME.test(command),
  },
  { key: "baseUrl", flag: "--base-url", isUsedBy: (command) => !LOCAL.test(command) },
  { key: "allowHttp", flag: "--allow-http", isUsedBy: (command) => !LOCAL.test(command) },
  { key: "game", flag: "--game", isUsedBy: (command) => IN_GAME.test(command) },
  { key: "database", flag: "--database", isUsedBy: (command) => ON_DATABASE.test(command) },
  { key: "account", flag: "--account", isUsedBy: (command) => /^admin (?!accounts\b)/.test(command) },
];

/** Repeats the user's selection in each `playtest` command in backticks, except for flags that it already has. */
export function addSelection(text: string, given: SelectionFlags): string {
  return text.replace(/`playtest ([^`]+)`/g, (quoted, command: string) => {
    if (/ --help$/.test(command)) return quoted;
    const added = selectionFlags
      .filter(({ flag, isUsedBy }) => isUsedBy(command) && !command.split(" ").includes(flag))
      .map(({ key, flag }) => formatFlag(flag, given[key]));
    return `\`playtest ${command}${added.join("")}\``;
  });
}

function formatFlag(flag: string, value: unknown): string {
  if (value === true) return ` ${flag}`;
  if (typeof value !== "string" || value === "") return "";
  const shown = redactPassword(value);
  return ` ${flag} ${/^[\w@%+=:,./-]+$/.test(shown) ? shown : JSON.stringify(shown)}`;
}

/** A URL without its password, because hints are copied into logs and issues. */
function redactPassword(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, "$1@");
}
