/** What a page is: its address, its parameters, and what it shows. */
import * as z from "zod";
import type { AnnouncingClient } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import { type Endpoint, endpointEntries, type Input, type Output } from "../contract/define.ts";
import { listGames } from "../contract/games.ts";
import type { Child } from "../render/svg/element.ts";
import { parseTime, TIME_SYNTAX } from "../shared/times.ts";
import { toFlags } from "./command-line.ts";

/** What a page reads from. */
export interface PageContext {
  /** Calls the API on behalf of the reader. Throws ClientError. */
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>>;
  /** Unix ms. */
  readonly now: number;
}

/** A page of a game, by the rest of its path, with its name in the navigation. */
export type NavigationEntry = readonly [segment: string, text: string];

/** What the header offers besides the builds and environments that the game was played in, and what its links keep. */
export interface PageScope {
  /** The choice of no build (default: all builds). */
  readonly anyBuild?: string;
  /** The environment if none is chosen (default: all environments together). */
  readonly fallback?: string;
  /** The build and the environment that the page is about, if its parameters do not name them. */
  readonly build?: string;
  readonly env?: string | null | undefined;
}

export interface PageContent {
  /** The heading, which is also the title of the browser's tab. */
  readonly title: string;
  /** The pages between that of the game and this one, the outermost first. */
  readonly trail?: readonly NavigationEntry[];
  readonly scope?: PageScope;
  readonly body: Child;
  /** The arguments of the command that shows the same. */
  readonly command: readonly string[];
  /** What the command prints with --json. */
  readonly data: unknown;
  /** Whether an open page is kept current. */
  readonly live?: true;
}

/** The parameters of a page, from its address. */
export interface PageInput {
  /** Decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Parsed with the schema of the page. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The query as it was sent, for links that change only a part of it. */
  readonly search: URLSearchParams;
  /** Still percent-encoded. */
  readonly path: string;
}

export interface Page {
  /** With `{name}` for each parameter. */
  readonly path: `/${string}`;
  readonly query: z.ZodObject;
  show(input: PageInput, context: PageContext): Promise<PageContent>;
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

interface PageDefinition<Path extends `/${string}`, Query extends z.ZodRawShape> {
  readonly path: Path;
  readonly query: Query;
  show(
    input: Omit<PageInput, "params" | "query"> & {
      readonly params: Readonly<Record<ParamNames<Path>, string>>;
      readonly query: z.output<z.ZodObject<Query>>;
    },
    context: PageContext,
  ): Promise<PageContent>;
}

/** Defines a page. `show` receives the types of its parameters. */
export function definePage<Path extends `/${string}`, Query extends z.ZodRawShape>(
  definition: PageDefinition<Path, Query>,
): Page {
  return { ...definition, query: z.strictObject(definition.query) } as Page;
}

/** Thrown if the parameters of an address are invalid. */
export class InvalidAddress extends Error {}

/** Thrown if an address names something that does not exist. The message says what. */
export class NotThere extends Error {}

/** The choices of the header. Every page of a game passes them on, also one that they do not change. */
export const KEPT_PARAMETERS: readonly string[] = ["build", "env"];

/** Parses the query of a page. Empty parameters count as absent, because forms send them. Throws InvalidAddress. */
export function parseQuery(page: Page, search: URLSearchParams): PageInput["query"] {
  const values: Record<string, string> = {};
  for (const [name, value] of search) {
    if (value === "" || (KEPT_PARAMETERS.includes(name) && !(name in page.query.shape))) continue;
    if (Object.hasOwn(values, name)) throw new InvalidAddress(`The address has the parameter ${name} twice`);
    values[name] = value;
  }
  const result = page.query.safeParse(values);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  const reason = issue?.code === "unrecognized_keys" ? "is unknown here" : (issue?.message ?? "is invalid");
  throw new InvalidAddress(`The parameter ${name} of the address ${reason}`);
}

export const textParam = z.string().max(512).optional();

/** A number parameter: a whole number from `min`. */
export const wholeParam = (min: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min, `must be at least ${min}`)
    .optional();

export const choiceParam = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(", ")}`).optional();

/** A time parameter, in the syntax of the command line, such as `7d` or `2026-03-01`. */
export const timeParam = z
  .string()
  .max(64)
  .refine((text) => parseTime(text, 0, "UTC") !== null, `must be ${TIME_SYNTAX}`)
  .optional();

/** The time of a parameter, unix ms; undefined without one. */
export const readTime = (text: string | undefined, now: number): number | undefined =>
  text === undefined ? undefined : (parseTime(text, now, "UTC") ?? undefined);

/** Whether an error says that something does not exist. */
export const isNotFound = (error: unknown): error is ClientError =>
  error instanceof ClientError && error.code === "not_found";

/** A client of the endpoints in a contract module, for code that the command line shares with pages. */
export const createPageClient = <T extends object>(module: T, { call }: PageContext): AnnouncingClient<T> =>
  ({
    ...Object.fromEntries(
      endpointEntries(module).map(([name, endpoint]) => [name, (input: never) => call(endpoint, input)]),
    ),
    // The service that shows the page.
    announces: async () => true,
  }) as AnnouncingClient<T>;

export const PAGE_SIZE = 50;

/** The parameters of a list that the service returns in parts. */
export const pagedParams = { offset: wholeParam(0) };

/** The parameters of a table whose rows are all there, so that they can be sorted. */
export const sortParams = { sort: textParam, order: choiceParam(["asc", "desc"]) };

/** The flags of the command that lists the same items. */
export const toPageFlags = (offset: number): string[] =>
  toFlags({ "--limit": PAGE_SIZE, "--offset": offset || undefined });

/** The game with this slug or id. Throws NotThere. Used where no other response shows that the game exists. */
export async function requireGame(game: string, call: PageContext["call"]) {
  const { games } = await call(listGames, {});
  const found = games.find(({ id, slug }) => slug === game || id === game);
  if (!found) throw new NotThere(`game ${JSON.stringify(game)}`);
  return found;
}
