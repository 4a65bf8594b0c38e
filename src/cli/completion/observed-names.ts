/** What the answers of endpoints tell of names: read beside whatever command asked for them. */
import type { Output } from "../../contract/define.ts";
import type { Endpoints } from "../../contract/index.ts";
import type { NameEntry, ObservedNames } from "./names.ts";

type EndpointOutputs = { readonly [Name in keyof Endpoints]: Output<Endpoints[Name]> };
type NameExtractor<Name extends keyof Endpoints> = (
  answer: EndpointOutputs[Name],
  asked: string,
) => ObservedNames[];

/** By the endpoint's name: a list that a command reads anyway. */
const extractors: { readonly [Name in keyof Endpoints]?: NameExtractor<Name> } = {
  listGames: ({ games }) => [
    {
      kind: "games",
      found: games.map(({ slug, id, createdAt }) => [slug, id, createdAt]),
      asked: "",
      wholeOf: "*",
    },
  ],
  listSessions: ({ items }, asked) => [
    {
      kind: "sessions",
      found: items.map(({ id, gameId, recordedAt }): NameEntry => [id, gameId, recordedAt]),
      asked,
      wholeOf: null,
    },
    {
      kind: "builds",
      found: items.map(
        ({ metadata, gameId, recordedAt }): NameEntry => [metadata.gameVersion, gameId, recordedAt],
      ),
      asked,
      wholeOf: null,
    },
  ],
  listBatches: ({ game, batches }, asked) => [
    {
      kind: "batches",
      found: batches.map(({ id, created_at }): NameEntry => [id, game.id, created_at]),
      asked,
      wholeOf: game.id,
    },
  ],
  listGameExperiments: ({ game, experiments }, asked) => [
    {
      kind: "experiments",
      found: experiments.map(({ id, startedAt }): NameEntry => [id, game.id, startedAt ?? 0]),
      asked,
      wholeOf: game.id,
    },
  ],
};

/** What an answer tells of names; nothing for most endpoints. */
export function extractNames(
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  answer: unknown,
): ObservedNames[] {
  const read = extractors[endpoint as keyof Endpoints] as
    | ((answer: unknown, asked: string) => ObservedNames[])
    | undefined;
  if (!read) return [];
  const asked = input.game ?? input.id;
  return read(answer, typeof asked === "string" ? asked : "");
}
