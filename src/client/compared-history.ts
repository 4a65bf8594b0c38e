/** Reads what the testers of two builds played, to compare equal play. */
import type { ComparedHistory, UnknownHistory } from "../contract/play-history.ts";
import { ClientError, type ClientErrorCode } from "./errors.ts";
import { type ReadHistoryPage, readBuildHistory } from "./play-history.ts";

/** Errors that leave the rest of a comparison usable. */
const reasons: Partial<Record<ClientErrorCode, UnknownHistory>> = {
  unsupported: "unsupported",
  forbidden: "forbidden",
  contract: "invalid",
};

/** Reads the history of both builds. Returns the reason if the service does not report it, or not to this key. */
export async function readComparedHistory(
  readPage: ReadHistoryPage,
  {
    a,
    b,
    ...scope
  }: { readonly game: string; readonly a: string; readonly b: string; readonly env?: string | undefined },
): Promise<ComparedHistory> {
  try {
    const before = await readBuildHistory(readPage, { ...scope, version: a });
    const after = a === b ? before : await readBuildHistory(readPage, { ...scope, version: b });
    return { a: before.testers, b: after.testers };
  } catch (error) {
    const reason = error instanceof ClientError ? reasons[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}
