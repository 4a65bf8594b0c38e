/** Puts a 404 into words: what was looked up, and where the names there are can be seen. */
import type { Endpoint } from "../contract/define.ts";
import { type ApiError, errorKinds, fail } from "../contract/errors.ts";

/** What a lookup is by, beside the path's own parameters. */
const LOOKED_UP = ["game", "build", "a", "b", "gameId", "sessionId"];

/** The service tells only that something is not there; the values that it may be are named. */
export function notFound(error: ApiError, endpoint: Endpoint, input: Record<string, unknown>): ApiError {
  const { body, ...given } = input;
  const values: Record<string, unknown> = { ...given, ...(typeof body === "object" ? body : {}) };
  const names = new Set([...Object.keys(endpoint.params.shape), ...LOOKED_UP]);
  const told = [...names]
    .filter((name) => typeof values[name] === "string")
    .map((name) => `${nounOf(name, endpoint)} ${JSON.stringify(values[name])}`);
  const { status, requestId, extra } = error;
  return fail("not_found", {
    message: `Not found: ${told.join(", ") || endpoint.path}`,
    hint: whereToLook(
      [...names].filter((name) => typeof values[name] === "string"),
      endpoint,
    ),
    status,
    requestId,
    extra,
    cause: error,
  });
}

/** The commands that list what may be meant, by noun. */
const lists: Readonly<Record<string, string>> = {
  game: "games list",
  session: "sessions list",
  version: "builds list",
  build: "builds list",
  a: "builds list",
  b: "builds list",
  batch: "batches list",
  experiment: "experiments list",
  device: "handles list",
};

/** Where the names there are can be seen. */
function whereToLook(names: readonly string[], endpoint: Endpoint): string {
  const commands = new Set(names.flatMap((name) => lists[nounOf(name, endpoint)] ?? []));
  if (commands.size === 0) return errorKinds.not_found.hint;
  const told = [...commands].map((command) => `\`playtest ${command}\``).join(" and ");
  return `${told} ${commands.size === 1 ? "shows" : "show"} what this key can see.`;
}

/** What a parameter names, for people: an `id` is one of what the path lists. */
function nounOf(name: string, endpoint: Endpoint): string {
  if (name === "id") return /(\w+)s\/\{id\}/.exec(endpoint.path)?.[1] ?? name;
  return name.replace(/Id$/, "");
}
