/** Ingests telemetry files straight into the database, without a server between. */
import { telemetryEnvelope } from "../../../contract/telemetry.ts";
import { parseHeader } from "../../../server/archive/format.ts";
import { badRequest, toIssues } from "../../../server/core/bad-request.ts";
import { describeDatabaseError } from "../../../server/db/open.ts";
import { ensureGame } from "../../../server/games/games.ts";
import { ingest } from "../../../server/telemetry/ingest.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { noBookmark } from "../../telemetry-files/bookmarks.ts";
import { peekLines, type TextLine } from "../../telemetry-files/lines.ts";
import type { FileReport } from "../../telemetry-files/report.ts";
import { type SendBody, sendFile } from "../../telemetry-files/send.ts";
import type { LocalService } from "./local.ts";
import { withServiceErrors } from "./service-errors.ts";

/** A file whose first line was read, to see what it is. */
export interface OpenedFile {
  readonly file: string;
  readonly first: TextLine | null;
  readonly lines: AsyncIterable<TextLine>;
}

export async function openFile(file: string, { io }: Context): Promise<OpenedFile> {
  return { file, ...(await peekLines(file, io)) };
}

/**
 * Takes every file in, the first where it is `opened` already; with `createGames` a game that does not exist is made.
 * Throws `usage` where a file is an archive.
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
  for (const [at, file] of files.entries()) {
    const { first, lines } = at === 0 && opened ? opened : await openFile(file, context);
    if (first && parseHeader(first.text, file)) throw unexpectedArchive(file);
    reports.push(await sendFile(file, context, store, noBookmark, lines));
  }
  return reports;
}

/** The error of an archive among telemetry files. */
export function unexpectedArchive(file: string): Error {
  return fail("usage", {
    message: `${file} is an archive of a whole database, not telemetry`,
    hint: "Import it alone, into a new database: playtest server import <archive> --database <file>.",
  });
}

function createLocalIngester(local: LocalService, createGames: boolean): SendBody {
  const { service, accountId } = local;
  const made = new Set<string>();
  return async (body) => {
    const checked = telemetryEnvelope.safeParse(body);
    if (!checked.success) throw badRequest(toIssues(checked.error));
    const { gameId } = checked.data;
    if (createGames && gameId !== undefined && !made.has(gameId)) {
      await withServiceErrors(() => ensureGame(service.store.writeDb, service, accountId, gameId));
      made.add(gameId);
    }
    try {
      return await ingest(service, { accountId, boundGameId: null }, checked.data);
    } catch (cause) {
      const { code } = cause as { code?: string };
      if (code === "not_found") {
        throw fail("not_found", {
          message: `There is no game ${JSON.stringify(gameId)} in ${local.database}`,
          hint: "Make it with --create-games.",
          cause,
        });
      }
      if (code === "bad_request") throw cause;
      throw fail("config", {
        message: `${local.database} cannot be written: ${describeDatabaseError(cause)}`,
        hint: "What was stored before stays. Remove the cause and run the command again: what is stored counts once.",
        cause,
      });
    }
  };
}
