/** Ingests telemetry files directly into the database, without a server. */
import { TELEMETRY_LIMITS, type TelemetryEnvelope, telemetryEnvelope } from "../../../contract/telemetry.ts";
import { parseHeader } from "../../../server/archive/format.ts";
import { badRequest, toIssues } from "../../../server/core/http-errors.ts";
import { describeDatabaseError } from "../../../server/db/open.ts";
import { findGame } from "../../../server/games/game-queries.ts";
import { ensureGame } from "../../../server/games/games.ts";
import { ingest } from "../../../server/telemetry/ingest.ts";
import { formatName } from "../../../shared/similar-names.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { noBookmark } from "../../telemetry-files/bookmarks.ts";
import { peekLines, type TextLine } from "../../telemetry-files/lines.ts";
import type { FileReport } from "../../telemetry-files/report.ts";
import { type SendAhead, type SendBody, sendFile, UNKNOWN_SESSION_HINT } from "../../telemetry-files/send.ts";
import type { LocalService } from "./local.ts";
import { withServiceErrors } from "./service-errors.ts";

/** A file whose first line was read to detect its type. */
export interface OpenedFile {
  readonly file: string;
  readonly first: TextLine | null;
  readonly lines: AsyncIterable<TextLine>;
}

export async function openFile(file: string, { io }: Context): Promise<OpenedFile> {
  return { file, ...(await peekLines(file, io)) };
}

/**
 * Imports telemetry files. `opened` is the first file if it was already opened. With `createGames`, games that do not
 * exist are created. Throws `usage` if a file is an archive.
 */
export async function importFiles(
  context: Context,
  local: LocalService,
  files: readonly string[],
  createGames: boolean,
  opened?: OpenedFile,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  const store = createLocalIngester(local, createGames);
  for (const [index, file] of files.entries()) {
    const { first, lines } = index === 0 && opened ? opened : await openFile(file, context);
    if (first && parseHeader(first.text, file)) throw unexpectedArchive(file);
    reports.push(await sendFile(file, context, store, noBookmark, { lines, ahead: AHEAD }));
  }
  return reports;
}

/** The error for an archive among telemetry files. */
export function unexpectedArchive(file: string): Error {
  return fail("usage", {
    message: `${file} is an archive of a whole database, not telemetry`,
    hint: "Import it on its own into a new database: `playtest server import <archive> --database <file>`.",
  });
}

/**
 * Writes that wait for each other share a transaction. They are few, because the requests to a server that uses the same file wait
 * for it.
 */
const AHEAD: SendAhead = { requests: 8, events: TELEMETRY_LIMITS.events };

function createLocalIngester(local: LocalService, createGames: boolean): SendBody {
  const { service, accountId } = local;
  const ensuredGames = new Map<string, Promise<unknown>>();
  return async (body) => {
    const checked = telemetryEnvelope.safeParse(body);
    if (!checked.success) throw badRequest(toIssues(checked.error));
    const { gameId, sessionId } = checked.data;
    if (gameId === undefined)
      throw badRequest([{ path: ["gameId"], code: "invalid_type", message: "is required" }]);
    // A line with a session id belongs to an existing session, so its game must already exist.
    if (createGames && sessionId === undefined) {
      const ensured =
        ensuredGames.get(gameId) ??
        withServiceErrors(() => ensureGame(service.store.writeDb, service, accountId, gameId));
      ensuredGames.set(gameId, ensured);
      await ensured;
    }
    try {
      return await ingest(service, { accountId, boundGameId: null }, checked.data);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === "not_found") throw await toNotFoundError(local, checked.data, createGames, cause);
      if (code === "bad_request") throw cause;
      throw fail("config", {
        message: `Cannot write to ${local.database}: ${describeDatabaseError(cause)}`,
        hint: "Fix the problem and run the command again. Events that are already stored are not stored twice.",
        cause,
      });
    }
  };
}

/** The error for a game or session that does not exist. */
async function toNotFoundError(
  { service, accountId, database }: LocalService,
  { gameId = "", sessionId }: TelemetryEnvelope,
  createGames: boolean,
  cause: unknown,
): Promise<Error> {
  const gameExists = (await findGame(service.store.readDb, accountId, gameId)) !== undefined;
  if (sessionId !== undefined && (createGames || gameExists)) {
    return fail("not_found", {
      message: `No session ${formatName(sessionId)} in ${formatName(gameId)}`,
      hint: UNKNOWN_SESSION_HINT,
      cause,
    });
  }
  return fail("not_found", {
    message: `No game ${formatName(gameId)} in ${database}`,
    hint: "Add --create-games to create it.",
    cause,
  });
}
