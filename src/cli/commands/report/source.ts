/** What a report of the command line is gathered from, with its progress. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { CONSOLE } from "../../../contract/announcement.ts";
import type { ReportEndpoints, ReportSource } from "../../../report/gather.ts";
import type { Context } from "../../context.ts";
import { findPublicUrl } from "../../public-url.ts";
import { translateError } from "../../translate-error.ts";
import type { GateEndpoints, GateQuery } from "../gate/comparison.ts";
import { readNewestEvidence } from "../gate/evidence.ts";

type ReportClient = AnnouncingClient<GateEndpoints & ReportEndpoints>;

/** Errors that all other requests would also return. */
const FATAL_CODES = ["unauthorized", "forbidden"];

export const createReportSource = (
  context: Context,
  client: ReportClient,
  query: GateQuery,
): ReportSource => ({
  client,
  readEvidence: (rows) => readNewestEvidence(context, client, query, rows),
  async fetchPart(what, request) {
    await context.progress(`Fetching ${what}`);
    try {
      return { ok: true, value: await request() };
    } catch (error) {
      const known = translateError(error);
      if (known === null || context.io.signal.aborted || FATAL_CODES.includes(known.code)) throw error;
      await context.notify(`The report has no ${what}: ${known.message}`);
      return { ok: false, why: known.message, hint: known.hint };
    }
  },
});

/** The address of the console, if the service announces one. */
export async function findConsole(
  { settings }: Context,
  { announces }: Pick<ReportClient, "announces">,
): Promise<string | null> {
  if (settings.baseUrl === null || !(await announces(CONSOLE.name))) return null;
  return findPublicUrl(settings.baseUrl.value);
}
