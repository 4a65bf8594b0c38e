/** The build and the environment that a page about players shows. */
import { type BuildList, listBuilds } from "../contract/build-list.ts";
import { emptyNote } from "./details.ts";
import {
  findDefaultEnvironment,
  listEnvironments,
  MAX_BUILD_CHOICES,
  toListEnv,
  toPlayEnv,
} from "./filter-form.ts";
import type { PageContent, PageContext } from "./page.ts";
import { choosePair } from "./pages/build-pair.ts";

/** The choice of no build on pages about one build. */
export const THE_LATEST = "the latest";

export interface PlayScope {
  readonly game: string;
  /** The builds of all environments, the one played last first. */
  readonly builds: BuildList;
  /** The environment to ask for; undefined for production, which is the default of the API. */
  readonly env: string | undefined;
  /** The environment if none is chosen. */
  readonly fallback: string;
}

/** The environment of a page about players: the chosen one, or the default of the game. */
export async function readPlayScope(
  game: string,
  env: string | undefined,
  call: PageContext["call"],
): Promise<PlayScope> {
  const builds = await call(listBuilds, { game, limit: MAX_BUILD_CHOICES });
  const fallback = await findDefaultEnvironment(game, listEnvironments(builds.items), call);
  return { game, builds, fallback, env: toPlayEnv(env, fallback) };
}

/** The version that an address names, also with `latest` or `previous`; by default the latest build. Null if there is none. */
export async function resolveBuild(
  word: string | undefined,
  scope: PlayScope,
  call: PageContext["call"],
): Promise<string | null> {
  return (await choosePair({ a: undefined, b: word }, scope, call)).b;
}

/** A page about a build while none was played. */
export function showNoBuild(
  { game, builds, env }: PlayScope,
  page: Pick<PageContent, "title" | "scope">,
): PageContent {
  const where = env === "all" ? "" : ` in ${toListEnv(env)}`;
  return {
    ...page,
    body: emptyNote(`No build has sessions${where}. Choose another environment.`),
    command: ["builds", "list", "--game", game, "--limit", String(MAX_BUILD_CHOICES)],
    data: builds,
  };
}
