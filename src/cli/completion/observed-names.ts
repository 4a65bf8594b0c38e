/** Extracts names for completions from the responses to any command. */
import type { Output } from "../../contract/define.ts";
import type { Endpoints } from "../../contract/index.ts";
import type { NameEntry, ObservedNames } from "./names.ts";

type EndpointOutputs = { readonly [Name in keyof Endpoints]: Output<Endpoints[Name]> };
type NameExtractor<Name extends keyof Endpoints> = (
  output: EndpointOutputs[Name],
  requestedGame: string,
) => ObservedNames[];

/** By endpoint name. */
const extractors: { readonly [Name in keyof Endpoints]?: NameExtractor<Name> } = {
  listGames: ({ games }) => [
    {
      kind: "games",
      entries: games.map(({ slug, id, createdAt }) => [slug, id, createdAt]),
      requestedGame: "",
      completeFor: "*",
    },
  ],
  listSessions: ({ items }, requestedGame) => [
    {
      kind: "sessions",
      entries: items.map(({ id, gameId, recordedAt }): NameEntry => [id, gameId, recordedAt]),
      requestedGame,
      completeFor: null,
    },
    {
      kind: "builds",
      entries: items.map(
        ({ metadata, gameId, recordedAt }): NameEntry => [metadata.gameVersion, gameId, recordedAt],
      ),
      requestedGame,
      completeFor: null,
    },
  ],
  listBuilds: ({ game, items }, requestedGame) => [
    {
      kind: "builds",
      entries: items.map(({ version, lastSeen }): NameEntry => [version, game.id, lastSeen]),
      requestedGame,
      completeFor: null,
    },
  ],
  listBatches: ({ game, batches }, requestedGame) => [
    {
      kind: "batches",
      entries: batches.map(({ id, created_at }): NameEntry => [id, game.id, created_at]),
      requestedGame,
      completeFor: game.id,
    },
  ],
  listGameExperiments: ({ game, experiments }, requestedGame) => [
    {
      kind: "experiments",
      entries: experiments.map(({ id, startedAt }): NameEntry => [id, game.id, startedAt ?? 0]),
      requestedGame,
      completeFor: game.id,
    },
  ],
};

/** The names in a response; none for most endpoints. */
export function extractNames(
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  output: unknown,
): ObservedNames[] {
  const extract = extractors[endpoint as keyof Endpoints] as
    | ((output: unknown, requestedGame: string) => ObservedNames[])
    | undefined;
  if (!extract) return [];
  const game = input.game ?? input.id;
  return extract(output, typeof game === "string" ? game : "");
}
