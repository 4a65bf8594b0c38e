/** Adds the newest insights to a verdict from a service that selects no sessions behind failures and warnings. */
import { insightTypes } from "../../../contract/insights.ts";
import { MAX_ROW_EVIDENCE, type RowEvidence } from "../../../contract/scorecard.ts";
import type { Session } from "../../../contract/sessions.ts";
import type { SessionEvidence } from "../../../contract/verdict.ts";
import { addEvidence, isCounted } from "../../../gate/evidence.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import type { Context } from "../../context.ts";
import { readPages } from "../lists.ts";
import type { GateClient, GateQuery } from "./comparison.ts";

/** Maximum number of insights of each type, and of sessions, to read. */
const MAX_ITEMS_READ = 500;

/** The verdict with the newest insights of build b for each tag that failed or warned. */
export async function withEvidence(
  context: Context,
  client: GateClient,
  query: GateQuery,
  verdict: GateVerdict,
): Promise<GateVerdict> {
  const counted = verdict.checks.filter((check) => check.family === "friction" && isCounted(check));
  return addEvidence(verdict, await readNewestEvidence(context, client, query, counted));
}

/** The newest insights of build b for each of these rows about friction, where the service does not select any. */
export async function readNewestEvidence(
  context: Context,
  client: GateClient,
  { game, env = "production", b: build }: GateQuery,
  rows: readonly { readonly id: string; readonly metric: string }[],
): Promise<RowEvidence[]> {
  if (rows.length === 0) return [];
  const range = { limit: MAX_ITEMS_READ, offset: 0, all: false };
  // Insights do not include their environment.
  const known = new Map<string, Session>();
  const environment = env === "all" ? undefined : env;
  const sessionPages = readPages(context, range, (page) =>
    client.listSessions({ game, build, env: environment, ...page }),
  );
  for await (const { items } of sessionPages) for (const item of items) known.set(item.id, item);
  const byTag = new Map<string, SessionEvidence[]>(rows.map(({ id }) => [id, []]));
  const types = new Set(rows.map(({ id }) => id.split(":")[0]));
  for (const type of insightTypes.filter((name) => types.has(name))) {
    const pages = readPages(context, range, (page) => client.listInsights({ game, build, type, ...page }));
    for await (const { items } of pages) {
      for (const { id, sessionId, tag, title } of items) {
        const sessions = byTag.get(tag ?? "");
        const session = known.get(sessionId);
        if (sessions === undefined || session === undefined || sessions.length >= MAX_ROW_EVIDENCE) continue;
        const { title: sessionTitle, testerHandle, recordedAt, duration } = session;
        sessions.push({
          ...{ sessionId, insightId: id, title: title ?? null, activeSec: null },
          ...{ sessionTitle, testerHandle: testerHandle ?? null, recordedAt, duration },
        });
      }
    }
  }
  return rows.map(({ id, metric }) => ({ metric, sessions: byTag.get(id) ?? [] }));
}
