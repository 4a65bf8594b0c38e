/** Lets calls of tools name builds by the words `latest` and `previous`, as commands do. */
import { announces } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import { listBuilds } from "../contract/build-list.ts";
import { isKnownBuild, MIN_COMPARED_TESTERS } from "../contract/build-order.ts";
import type { Endpoint } from "../contract/define.ts";
import { DEFAULT_ENV, MAX_PAGE_SIZE } from "../contract/fields.ts";
import { listSessions } from "../contract/sessions.ts";
import { describeSkipped, isBuildWord, resolveBuildWords } from "../shared/build-words.ts";
import { formatName } from "../shared/similar-names.ts";
import { type CallContext, type CallOptions, callApi } from "./call-api.ts";

/** The parameters that name one build. `a` and `b` are two builds. */
const SINGLE = ["build", "version"];

/**
 * The input with versions instead of words, of the environment of the call or of production, and a note if `previous` is not the
 * build right before. Throws `not_found` if the game has no such build. Without a list of builds, the input is unchanged.
 */
export async function nameBuilds(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  options: CallOptions,
  context: CallContext,
): Promise<NamedInput> {
  const isNamed = (name: string) =>
    isBuildWord(input[name]) && (name !== "version" || endpoint.names[name] === "build");
  const named = [...SINGLE, "a", "b"].filter(isNamed);
  if (named.length === 0 || !(await announces(options.client, listBuilds.name))) return { input, note: null };
  const env = input.env === undefined ? DEFAULT_ENV : input.env === "all" ? undefined : input.env;
  const query = { game: input.game, limit: MAX_PAGE_SIZE };
  const list = async (more: Record<string, unknown>) =>
    (await callApi(listBuilds, { ...query, ...more }, options, context)).items.filter(isKnownBuild);
  const inEnv = await list({ env }).catch((error: unknown) => {
    if (error instanceof ClientError && error.code === "not_found") return [];
    throw error;
  });
  const builds = inEnv.length > 0 || input.env !== undefined ? inEnv : await list({});
  const text = (name: string) => String(input[name] ?? "");
  const resolve = (a: string, b: string) => resolveBuildWords({ a, b }, builds, MIN_COMPARED_TESTERS);
  const pair = resolve(text("a"), text("b"));
  const notes = new Set<string>();
  const resolved: Record<string, unknown> = { ...input };
  for (const name of named) {
    const { a, b, skipped } = name === "a" || name === "b" ? pair : resolve("", text(name));
    const version = name === "a" ? a : b;
    if (version === null)
      throw new ClientError("not_found", `Game ${JSON.stringify(input.game)} has no ${text(name)} build`);
    resolved[name] = version;
    const note =
      text(name) === "previous" ? describeSkipped({ version, skipped }, MIN_COMPARED_TESTERS) : null;
    if (note !== null) notes.add(note);
  }
  return { input: resolved, note: notes.size === 0 ? null : [...notes].join(" ") };
}

/** Throws `not_found` if an empty answer is about a build that nobody has played: the API only filters by it. */
export async function requirePlayedBuild(
  { game, build }: Readonly<Record<string, unknown>>,
  options: CallOptions,
  context: CallContext,
): Promise<void> {
  if (typeof build !== "string") return;
  const query = { game, build, limit: 1 };
  const { total } = await callApi(listSessions, query, options, context);
  const where = typeof game === "string" ? formatName(game) : "any game";
  if (total === 0) throw new ClientError("not_found", `No build ${formatName(build)} in ${where}`);
}

interface NamedInput {
  readonly input: Record<string, unknown>;
  readonly note: string | null;
}
