/** Reads the names that exist, to suggest one of them after an error. Only the first names of a long list are read. */
import { type Client, type ClientOptions, createClient } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import * as batches from "../contract/batches.ts";
import * as buildList from "../contract/build-list.ts";
import * as events from "../contract/events.ts";
import * as experiments from "../contract/experiments.ts";
import { MAX_PAGE_SIZE, UNKNOWN_BUILD } from "../contract/fields.ts";
import * as forms from "../contract/forms.ts";
import * as games from "../contract/games.ts";
import * as handles from "../contract/handles.ts";
import * as sessions from "../contract/sessions.ts";
import * as testerList from "../contract/tester-list.ts";
import * as testers from "../contract/testers.ts";

/** How long the requests for suggestions may take in total, ms. */
const MAX_SUGGESTION_MS = 5000;

const endpoints = {
  ...games,
  ...sessions,
  ...buildList,
  ...events,
  ...batches,
  ...experiments,
  ...handles,
  ...forms,
  ...testerList,
  ...testers,
};
export type NameClient = Client<typeof endpoints>;

/** The part of a command's context that suggestions need. */
export interface NameContext {
  clientOptions(needs: object): Promise<ClientOptions>;
  findGame(): Promise<{ readonly value: string } | null>;
}

/** A client for names that decide what a command does. It waits for the rate limit as the command itself does. */
export const createCheckClient = async (context: NameContext): Promise<NameClient> =>
  createClient(endpoints, await context.clientOptions({}));

/** A client for suggestions, which neither retries nor waits long: an error message must not take longer than the command. */
export async function createNameClient(context: NameContext): Promise<NameClient> {
  const options = await context.clientOptions({});
  const limit = AbortSignal.timeout(MAX_SUGGESTION_MS);
  return createClient(endpoints, {
    ...options,
    maxWaitMs: 0,
    signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
    waiting: {
      ...options.waiting,
      onWait: () => {},
      sleep: async () => {
        throw new ClientError("unavailable", "Suggestions are not worth waiting for");
      },
    },
  });
}

/** The kinds of names that can be listed, as the plural reads in messages. */
export const plurals = {
  game: "games",
  build: "builds",
  environment: "environments",
  event: "event names",
  device: "devices and tester handles",
  tester: "testers",
  batch: "batches",
  experiment: "experiments",
  form: "feedback forms",
} as const;
export type KnownNoun = keyof typeof plurals;

/** Another name of the same thing, such as the name of a batch with an id. */
export interface KnownName {
  readonly name: string;
  readonly alias?: string;
  /** True if the name is only suggested when it is similar, and not listed. */
  readonly unlisted?: true;
}

type Reader = (client: NameClient, game: string) => Promise<KnownName[]>;

const readers: Readonly<Record<Exclude<KnownNoun, "game" | "build" | "environment">, Reader>> = {
  event: async (client, game) =>
    Object.keys((await client.getEvents({ game })).byName).map((name) => ({ name })),
  device: readTesters,
  tester: readTesters,
  batch: async (client, game) => (await client.listBatches({ game })).batches.map(toAliased),
  experiment: async (client, game) =>
    (await client.listGameExperiments({ id: game })).experiments.map(toAliased),
  form: async (client, game) => (await client.listGameFeedbackForms({ id: game })).forms.map(toAliased),
};

function toAliased({ id, name }: { readonly id: string; readonly name: string }): KnownName {
  return { name: id, alias: name };
}

async function readTesters(client: NameClient, game: string): Promise<KnownName[]> {
  const { handles } = await client.listHandles({ game });
  const names = handles.map(({ handle }) => ({ name: handle }));
  return [...names, ...(await readDevices(client, game))];
}

/** The devices of the testers who played last; empty if the service cannot list testers. */
async function readDevices(client: NameClient, game: string): Promise<KnownName[]> {
  try {
    const { items } = await client.listTesters({ game, limit: MAX_PAGE_SIZE });
    return items.flatMap(({ deviceId }) => (deviceId == null ? [] : [{ name: deviceId, unlisted: true }]));
  } catch (error) {
    if (error instanceof ClientError && error.code === "unsupported") return [];
    throw error;
  }
}

/** The names of a kind. Without a game, only games and builds can be listed. */
export async function readKnownNames(
  client: NameClient,
  noun: KnownNoun,
  game: string | undefined,
): Promise<KnownName[]> {
  if (noun === "game")
    return (await client.listGames()).games.map(({ slug, id }) => ({ name: slug, alias: id }));
  if (noun === "build" || noun === "environment") return await readBuilds(client, noun, game);
  return game === undefined ? [] : await readers[noun](client, game);
}

/** The same, for a suggestion in an error that is known: empty if they cannot be read. */
export async function readSuggestedNames(
  context: NameContext,
  noun: KnownNoun,
  game: string | undefined,
): Promise<KnownName[]> {
  try {
    return await readKnownNames(await createNameClient(context), noun, game);
  } catch (error) {
    if (error instanceof ClientError) return [];
    throw error;
  }
}

/** Builds and environments from the list of builds or, if the service has none, builds from the newest sessions. */
async function readBuilds(
  client: NameClient,
  noun: "build" | "environment",
  game: string | undefined,
): Promise<KnownName[]> {
  try {
    if (game !== undefined) {
      const { items } = await client.listBuilds({ game, limit: MAX_PAGE_SIZE });
      const names = items.flatMap(({ version, environments }) =>
        noun === "build" ? [version] : environments,
      );
      return toNames(names);
    }
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "unsupported") throw error;
  }
  if (noun === "environment") return [];
  const { items } = await client.listSessions({ game, limit: MAX_PAGE_SIZE });
  return toNames(items.map(({ metadata }) => metadata.gameVersion));
}

const toNames = (names: readonly string[]): KnownName[] =>
  [...new Set(names)].filter((name) => name !== UNKNOWN_BUILD).map((name) => ({ name }));
