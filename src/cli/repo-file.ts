/** The repository's own settings, playtest.config.json: never where requests go, nor with which key. */
import { lilconfigSync } from "lilconfig";
import { fail } from "../contract/errors.ts";

export interface RepoFile {
  readonly path: string;
  readonly game?: string;
}

const FILE = "playtest.config.json";
const MEND = "Mend the file, or remove it.";
/** What a file from a repository may not decide. */
const FORBIDDEN = ["baseUrl", "base-url", "profile", "key", "keys", "allowHttp"];

/** The file in `cwd` or the nearest folder above it, or null. Throws `config` where it is broken or oversteps. */
export function readRepoFile(cwd: string): RepoFile | null {
  const search = lilconfigSync("playtest", { searchPlaces: [FILE], loaders: { ".json": parse } });
  const found = search.search(cwd);
  if (!found || found.isEmpty) return null;
  const path = found.filepath;
  const content: unknown = found.config;
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw fail("config", { message: `${path} must hold a JSON object`, hint: MEND });
  }
  for (const name of FORBIDDEN) {
    if (!Object.hasOwn(content, name)) continue;
    throw fail("config", {
      message: `${path} sets ${name}, which a repository may not`,
      hint: "Set it in a profile (`playtest config set`), the environment or a flag.",
    });
  }
  const { game } = content as { game?: unknown };
  if (game === undefined) return { path };
  if (typeof game !== "string" || game === "") {
    throw fail("config", { message: `${path}: game must be a game's id or slug`, hint: MEND });
  }
  return { path, game };
}

function parse(path: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    const message = `${path} is not valid JSON: ${(cause as Error).message}`;
    throw fail("config", { message, hint: MEND, cause });
  }
}
