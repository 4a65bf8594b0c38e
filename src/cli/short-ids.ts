/** Accepts the beginning of an id, as tables show it, where a command needs the whole id. */
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import { ID_LENGTH, type ShortIdKind } from "../contract/id-kinds.ts";
import * as ids from "../contract/ids.ts";
import type { Context } from "./context.ts";
import { fail } from "./errors.ts";

/** What the kinds of ids identify. */
export const idNouns: Readonly<Record<ShortIdKind, string>> = {
  sess: "session",
  ins: "insight",
  exp: "experiment",
  ptb: "batch",
  sub: "feedback submission",
  bug: "bug report",
};

/** Whether the text can be the beginning of an id of the kind, and not a whole id. */
export function isShortId(kind: ShortIdKind, text: string): boolean {
  const isPrefix = text.startsWith(`${kind}_`) && ids.findIds.query.shape.prefix.safeParse(text).success;
  return isPrefix && text.length < kind.length + 1 + ID_LENGTH;
}

/** The first ids that begin with a text. */
interface MatchingIds {
  readonly items: readonly { readonly id: string }[];
  readonly hasMore: boolean;
}

/** The ids in one line, with `...` at the end if there are more. */
export const listCandidates = ({ items, hasMore }: MatchingIds): string =>
  [...items.map(({ id }) => id), ...(hasMore ? ["..."] : [])].join(", ");

/** Returns the only id that begins with the text; null without one. Throws `usage` if several do. */
export function chooseId(kind: ShortIdKind, text: string, matches: MatchingIds): string | null {
  const { items } = matches;
  const [first] = items;
  if (!first) return null;
  if (items.length === 1 || first.id === text) return first.id;
  throw fail("usage", {
    message: `${JSON.stringify(text)} is the beginning of several ${idNouns[kind]} ids`,
    hint: `Add characters. The ids are ${listCandidates(matches)}`,
  });
}

/** Returns the whole id. A text that is not the beginning of an id, or that the service cannot look up, is returned unchanged. */
export async function resolveId(context: Context, kind: ShortIdKind, text: string): Promise<string> {
  if (!isShortId(kind, text)) return text;
  try {
    return (await lookUp(context, kind, text)) ?? text;
  } catch (error) {
    if (isClientError(error, "unsupported")) return text;
    throw error;
  }
}

/**
 * Runs a request with an id. If there is no such id, but the text is the beginning of one, runs it again with the whole
 * id. Says in the 404 if the service cannot look up short ids.
 */
export async function withWholeId<T>(
  context: Context,
  kind: ShortIdKind,
  text: string,
  request: (id: string) => Promise<T>,
): Promise<T> {
  try {
    return await request(text);
  } catch (error) {
    if (!isClientError(error, "not_found") || !isShortId(kind, text)) throw error;
    const id = await lookUp(context, kind, text).catch((failure: unknown) => {
      throw isClientError(failure, "unsupported") ? explainUnsupported(error) : failure;
    });
    if (id === null) throw error;
    return await request(id);
  }
}

async function lookUp(context: Context, kind: ShortIdKind, text: string): Promise<string | null> {
  const client = await context.client(ids);
  return chooseId(kind, text, await client.findIds({ prefix: text }));
}

const isClientError = (error: unknown, code: ClientErrorCode): error is ClientError =>
  error instanceof ClientError && error.code === code;

function explainUnsupported(error: ClientError): Error {
  const { message, status, requestId } = error;
  const hint =
    "If this is the beginning of an id, use the whole id: this service does not look up short ids, which is an " +
    "extension of playtest's own service.";
  return fail("not_found", { message, hint, status, requestId, cause: error });
}
