/** What the answers of endpoints tell of names: read beside whatever command asked for them. */
import type { Output } from "../../contract/define.ts";
import type { Endpoints } from "../../contract/index.ts";
import type { Named, Sighting } from "./names.ts";

type Answers = { readonly [Name in keyof Endpoints]: Output<Endpoints[Name]> };
type Reader<Name extends keyof Endpoints> = (answer: Answers[Name], asked: string) => Sighting[];

/** By the endpoint's name: a list that a command reads anyway. */
const readers: { readonly [Name in keyof Endpoints]?: Reader<Name> } = {
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
      found: items.map(({ id, gameId, recordedAt }): Named => [id, gameId, recordedAt]),
      asked,
      wholeOf: null,
    },
    {
      kind: "builds",
      found: items.map(
        ({ metadata, gameId, recordedAt }): Named => [metadata.gameVersion, gameId, recordedAt],
      ),
      asked,
      wholeOf: null,
    },
  ],
  listBatches: ({ game, batches }, asked) => [
    {
      kind: "batches",
      found: batches.map(({ id, created_at }): Named => [id, game.id, created_at]),
      asked,
      wholeOf: game.id,
    },
  ],
  listGameExperiments: ({ game, experiments }, asked) => [
    {
      kind: "experiments",
      found: experiments.map(({ id, startedAt }): Named => [id, game.id, startedAt ?? 0]),
      asked,
      wholeOf: game.id,
    },
  ],
};

/** What an answer tells of names; nothing for most endpoints. */
export function sightingsIn(
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  answer: unknown,
): Sighting[] {
  const read = readers[endpoint as keyof Endpoints] as
    | ((answer: unknown, asked: string) => Sighting[])
    | undefined;
  if (!read) return [];
  const asked = input.game ?? input.id;
  return read(answer, typeof asked === "string" ? asked : "");
}
