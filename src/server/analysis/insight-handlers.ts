/** One insight with its evidence: the events that it refers to, and the answers and bug reports that it quotes. */
import { type Claim, listClaimedEvents } from "../../contract/claims.ts";
import { HttpError } from "../../contract/errors.ts";
import {
  type EvidenceEvent,
  type EvidenceQuote,
  type getInsight,
  MAX_EVIDENCE_EVENTS,
} from "../../contract/insight-evidence.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { storedBugReports } from "../feedback/bug-report-queries.ts";
import { findLinkedHandle } from "../ids/tester-queries.ts";
import { findInsight, parseClaims, toInsightWithClaims } from "../insights/insight-queries.ts";
import { findSessionFeedback } from "../sessions/feedback-queries.ts";
import { findSession } from "../sessions/session-queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { findEventsById } from "../telemetry/find-events.ts";
import { readReportedCrashes } from "./crash-reports.ts";
import { findMeaning, resolveMeanings } from "./meanings.ts";

export const handleGetInsight: Handler<typeof getInsight> = async ({ id }, { db, accountId }) => {
  const row = await findInsight(db, accountId, id);
  const session = row && (await findSession(db, accountId, row.session_id));
  if (!row || !session) throw new HttpError("not_found");
  const claims = parseClaims(row);
  const cited = new Set(claims.flatMap(listClaimedEvents));
  const events = await readCitedEvents(db, session, claims, cited);
  return {
    insight: toInsightWithClaims(row),
    gameId: session.game_id,
    build: session.build,
    environment: session.environment,
    recordedAt: session.recorded_at,
    tester: { handle: await findTesterHandle(db, session), deviceId: session.device_id },
    events: events.slice(0, MAX_EVIDENCE_EVENTS),
    eventCount: cited.size,
    missingEvents: cited.size - new Set(events.map((event) => event.id)).size,
    prunedAt: session.events_pruned_at,
    quotes: await readQuotes(db, session, claims),
  };
};

/** The handle that the device is linked to, or else the handle of the session. */
async function findTesterHandle(db: Db, { game_id, device_id, tester_handle }: SessionRow) {
  const linked = device_id === null ? null : await findLinkedHandle(db, game_id, device_id);
  return linked ?? tester_handle;
}

/** The cited events by time: of the session, and of later sessions that reported its crash. */
async function readCitedEvents(
  db: Db,
  session: SessionRow,
  claims: readonly Claim[],
  cited: ReadonlySet<string>,
): Promise<EvidenceEvent[]> {
  if (cited.size === 0) return [];
  const stored = session.events_pruned_at === null ? await findEventsById(db, session, cited) : [];
  const bugIds = new Set(claims.flatMap((claim) => (claim.kind === "bugs" ? claim.ids : [])));
  const meanings = resolveMeanings(await findEventConfig(db, session.game_id));
  const isBug = (name: string) => ["crash", "error"].includes(findMeaning(name, meanings) ?? "");
  const reported = bugIds.size === 0 ? [] : await readReportedCrashes(db, session);
  const events = [
    // Ids are unique within a session only: the id of a crash in a later session can be that of another event here.
    ...stored
      .filter(({ id, name }) => !bugIds.has(id) || isBug(name))
      .map((event) => ({ ...event, sessionId: session.id })),
    ...reported
      .filter(({ event }) => bugIds.has(event.id))
      .map(({ event, sessionId }) => ({ ...event, sessionId })),
  ];
  return events
    .sort((a, b) => a.timestamp - b.timestamp)
    .map(({ id, name, timestamp, data, sessionId }) => ({
      id,
      name,
      timestamp,
      sessionId,
      offsetMs: timestamp - (session.first_at ?? timestamp),
      data: data ?? null,
    }));
}

/** The words of the tester that claims quote: answers, bug reports and sentences of the transcript. */
async function readQuotes(db: Db, session: SessionRow, claims: readonly Claim[]): Promise<EvidenceQuote[]> {
  const quotes: EvidenceQuote[] = [];
  const responses = new Set<string>();
  for (const claim of claims) {
    if (claim.kind === "rating") responses.add(claim.response);
    if (claim.kind !== "quote") continue;
    const { source, text } = claim;
    const report = source.startsWith("bug_")
      ? await storedBugReports.findById(db, session.game_id, source)
      : undefined;
    const common = { id: source, submissionId: null, question: null };
    if (report) {
      const words = `${report.title}: ${report.description}`;
      quotes.push({ ...common, text: words, createdAt: report.createdAt });
    } else if (source.startsWith("resp_")) responses.add(source);
    else quotes.push({ ...common, text, createdAt: null });
  }
  return [...(await readAnswers(db, session, responses)), ...quotes];
}

/** The answers of the session with these ids, in the order of receipt. */
async function readAnswers(
  db: Db,
  { game_id, id: sessionId }: SessionRow,
  ids: ReadonlySet<string>,
): Promise<EvidenceQuote[]> {
  if (ids.size === 0) return [];
  const submissions = await findSessionFeedback(db, game_id, sessionId);
  return submissions.flatMap(({ submissionId, submittedAt: createdAt, responses }) =>
    responses
      .filter(({ id }) => ids.has(id))
      .map(({ id, label: question, value: text }) => ({ id, submissionId, question, text, createdAt })),
  );
}
