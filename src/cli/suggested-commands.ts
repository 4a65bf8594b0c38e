/**
 * Adds flags to the commands that hints suggest. A user who has selected a profile, service, game or database with flags
 * would otherwise run the suggested command on another one.
 */
import { quoteForShell } from "../render/shell.ts";
import { findPublicUrl } from "./public-url.ts";

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
  /^(status|sessions|insights|builds|testers|crashes|feedback|bug-reports|experiments|batches|handles|heatmap|events|gate(?! (?:init|allow))|report|explain|export|admin (?!accounts|games|keys|providers|webhooks))\b/;
/** Commands that work without a service. */
const LOCAL = /^(admin|server|profiles|config|logout|completion|gate (?:init|allow))\b/;
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
    const words = command.replace(QUOTED, "").split(" ");
    if (words.at(-1) === "--help") return quoted;
    const added = selectionFlags
      .filter(({ flag, isUsedBy }) => isUsedBy(command) && !words.includes(flag))
      .map(({ key, flag }) => formatSelection(key, flag, given[key]));
    return `\`playtest ${command}${added.join("")}\``;
  });
}

/** The same for a command that is shown as a line of its own, such as `playtest gate 0.8.0 0.9.0`. */
export const repeatSelection = (command: string, given: SelectionFlags): string =>
  addSelection(`\`${command}\``, given).slice(1, -1);

/** A flag with its value for a suggested command, after a space. Empty for a value that `quoteForShell` refuses. */
export function formatFlag(flag: string, value: string): string {
  const word = quoteForShell(value);
  return word === null ? "" : ` ${flag} ${word}`;
}

/** The parts of a command that `quoteForShell` has quoted. */
const QUOTED = /'[^']*'|\\'/g;

function formatSelection(key: keyof SelectionFlags, flag: string, value: unknown): string {
  if (value === true) return ` ${flag}`;
  if (typeof value !== "string") return "";
  const isUrl = key === "baseUrl" || (key === "database" && value.includes("://"));
  const shown = isUrl ? findPublicUrl(value) : value;
  return shown === null ? "" : formatFlag(flag, shown);
}
