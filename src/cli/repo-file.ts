/** The repository's own settings, playtest.config.json: never where requests go, nor with which key. */
import { readFileSync } from "node:fs";
import { lilconfigSync } from "lilconfig";
import { fail } from "./errors.ts";

export interface RepoFile {
  readonly path: string;
  readonly game?: string;
  /** The rules of the gate, unchecked: only the gate knows them. */
  readonly gate?: unknown;
  /** Names in it that mean nothing here. */
  readonly unknown: readonly string[];
}

/** What the file is called. */
export const REPO_FILE = "playtest.config.json";
const FIX_HINT = "Mend the file, or remove it.";
/** What it may hold. */
const KNOWN_FIELDS = ["$schema", "game", "gate"];
/** What a file from a repository may not decide. */
const FORBIDDEN_FIELDS = ["baseUrl", "base-url", "profile", "key", "keys", "allowHttp"];

/** The file in `cwd` or the nearest folder above it, or null. Throws `config` where it is broken or oversteps. */
export function readRepoFile(cwd: string): RepoFile | null {
  const search = lilconfigSync("playtest", { searchPlaces: [REPO_FILE], loaders: { ".json": parse } });
  const found = search.search(cwd);
  if (!found || found.isEmpty) return null;
  return readContent(found.filepath, found.config);
}

/** A file named outright. Throws `config` where it cannot be read, is broken or oversteps. */
export function readNamedRepoFile(path: string): RepoFile {
  return readContent(path, parse(path, readFileSync(path, "utf8")));
}

function readContent(path: string, content: unknown): RepoFile {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw fail("config", { message: `${path} must hold a JSON object`, hint: FIX_HINT });
  }
  for (const name of FORBIDDEN_FIELDS) {
    if (!Object.hasOwn(content, name)) continue;
    throw fail("config", {
      message: `${path} sets ${name}, which a repository may not`,
      hint: "Set it in a profile (`playtest config set`), the environment or a flag.",
    });
  }
  const unknown = Object.keys(content).filter((name) => !KNOWN_FIELDS.includes(name));
  const { game, gate } = content as { game?: unknown; gate?: unknown };
  const common = { path, unknown, ...(gate === undefined ? {} : { gate }) };
  if (game === undefined) return common;
  if (typeof game !== "string" || game === "") {
    throw fail("config", { message: `${path}: game must be a game's id or slug`, hint: FIX_HINT });
  }
  return { ...common, game };
}

function parse(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (fault) {
    throw fail("config", {
      message: `${path} is not valid JSON${formatErrorPosition(fault, content)}`,
      hint: FIX_HINT,
    });
  }
}

/** Where JSON breaks, as far as the engine tells: its own words quote what the file holds, which may be a secret. */
function formatErrorPosition(fault: unknown, content: string): string {
  const [, at] = / at position (\d+)/.exec((fault as Error).message) ?? [];
  return at === undefined ? "" : `: it breaks in line ${content.slice(0, Number(at)).split("\n").length}`;
}
