/** Ingests telemetry files straight into the database, without a server between. */
import { fail } from "../../../contract/errors.ts";
import { telemetryEnvelope } from "../../../contract/telemetry.ts";
import { ensureGame } from "../../../server/accounts.ts";
import { reasonOf } from "../../../server/db/open.ts";
import { badRequest, issuesOf } from "../../../server/decode.ts";
import { ingest } from "../../../server/ingest/ingest.ts";
import type { Context } from "../../context.ts";
import { noBookmark } from "../../telemetry-files/bookmarks.ts";
import type { FileReport } from "../../telemetry-files/report.ts";
import { type Store, sendFile } from "../../telemetry-files/send.ts";
import type { LocalService } from "./local.ts";

/** Takes every file in; with `createGames` a game that does not exist is made. */
export async function importFiles(
  context: Context,
  local: LocalService,
  files: readonly string[],
  createGames: boolean,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  const store = storeOf(local, createGames);
  for (const file of files) reports.push(await sendFile(file, context, store, noBookmark));
  return reports;
}

function storeOf(local: LocalService, createGames: boolean): Store {
  const { service, accountId } = local;
  const made = new Set<string>();
  return async (body) => {
    const checked = telemetryEnvelope.safeParse(body);
    if (!checked.success) throw badRequest(issuesOf(checked.error));
    const { gameId } = checked.data;
    if (createGames && gameId !== undefined && !made.has(gameId)) {
      await ensureGame(service.store.write, service, accountId, gameId);
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
        message: `${local.database} cannot be written: ${reasonOf(cause)}`,
        hint: "What was stored before stays. Remove the cause and run the command again: what is stored counts once.",
        cause,
      });
    }
  };
}
