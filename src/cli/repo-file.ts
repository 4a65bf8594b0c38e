/**
 * The repository file playtest.config.json. It may not set the service or the key: otherwise a repository could send the
 * user's key to a service of its choice.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseJsonFile } from "../shared/parse-json.ts";
import { readRegularFile } from "../shared/regular-file.ts";
import { fail } from "./errors.ts";
import { failToRead } from "./file-errors.ts";

interface RepoFile {
  readonly path: string;
  readonly game?: string;
  /** The rules of the gate, not validated here. */
  readonly gate?: unknown;
  /** Unknown field names in the file. */
  readonly unknown: readonly string[];
}

export const REPO_FILE = "playtest.config.json";
const FIX_HINT = "Fix the file, or delete it.";
const KNOWN_FIELDS = ["$schema", "game", "gate"];
/** Settings that a repository must not control. */
const FORBIDDEN_FIELDS = ["baseUrl", "base-url", "profile", "key", "keys", "allowHttp"];

/**
 * The file in `cwd` or the nearest folder above it, up to the user's home, or null. Empty files are ignored. Throws
 * `config` if it cannot be read, is invalid or sets a forbidden field.
 */
export function readRepoFile(cwd: string): RepoFile | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, REPO_FILE);
    // A repository can contain a link to a device that never ends.
    const text = existsSync(path) ? readText(path, readRegularFile) : "";
    if (text.trim() !== "") return readContent(path, parse(path, text));
    if (folder === homedir() || folder === dirname(folder)) return null;
  }
}

/**
 * Reads the file at a path that the user named, which may be a pipe. Throws `config` if it cannot be read, is invalid or
 * sets a forbidden field.
 */
export function readNamedRepoFile(path: string): RepoFile {
  const text = readText(path, (named) => readFileSync(named, "utf8"));
  return readContent(path, parse(path, text));
}

function readText(path: string, read: (path: string) => string): string {
  try {
    return read(path);
  } catch (cause) {
    throw failToRead(path, "Check the path and its permissions.", cause);
  }
}

function readContent(path: string, content: unknown): RepoFile {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw fail("config", { message: `${path} must contain a JSON object`, hint: FIX_HINT });
  }
  for (const name of FORBIDDEN_FIELDS) {
    if (!Object.hasOwn(content, name)) continue;
    throw fail("config", {
      message: `${path} sets ${name}, which is not allowed in a repository file`,
      hint: "Set it with a flag, an environment variable or `playtest config set` instead.",
    });
  }
  const unknown = Object.keys(content).filter((name) => !KNOWN_FIELDS.includes(name));
  const { game, gate } = content as { game?: unknown; gate?: unknown };
  const common = { path, unknown, ...(gate === undefined ? {} : { gate }) };
  if (game === undefined) return common;
  if (typeof game !== "string" || game === "") {
    throw fail("config", { message: `game in ${path} must be a game id or slug`, hint: FIX_HINT });
  }
  return { ...common, game };
}

function parse(path: string, content: string): unknown {
  try {
    return parseJsonFile(content);
  } catch (fault) {
    throw fail("config", {
      message: `${path} is not valid JSON${formatErrorPosition(fault, content)}`,
      hint: FIX_HINT,
    });
  }
}

/** The line of a JSON error. The engine's own message is not shown, because it quotes the file, which may contain a secret. */
function formatErrorPosition(fault: unknown, content: string): string {
  const [, at] = / at position (\d+)/.exec((fault as Error).message) ?? [];
  return at === undefined ? "" : ` (line ${content.slice(0, Number(at)).split("\n").length})`;
}
