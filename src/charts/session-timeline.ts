/** A session's events over time: the rooms that they name, the most frequent names, and the findings about them. */
import { type Claim, claim as claimSchema, listClaimedEvents } from "../contract/claims.ts";
import { frictionTypes, type InsightWithClaims, praiseTypes } from "../contract/insights.ts";
import type { SessionEventItem } from "../contract/session-events.ts";
import { readEventRoom } from "../shared/event-data.ts";
import { EVENTS } from "../shared/event-names.ts";
import type { ChartMood } from "./charts.ts";

/** A part of the session in which the events name one room. Times are ms since the first event of the session. */
export interface RoomVisit {
  readonly room: string;
  readonly from: number;
  readonly to: number;
}

/** Moments of the session with one label, in ms since its first event, ascending. */
export interface TimelineRow {
  readonly label: string;
  readonly mood: ChartMood;
  readonly at: readonly number[];
}

export interface SessionTimeline {
  /** The first and last event that is shown, in ms since the first event of the session. */
  readonly from: number;
  readonly to: number;
  readonly rooms: readonly RoomVisit[];
  /** The events that each finding refers to; the finding with the strongest evidence first. */
  readonly findings: readonly TimelineRow[];
  /** The findings that refer to none of the events, such as those about answers. */
  readonly withoutEvents: number;
  /** Events by name, the most frequent first. */
  readonly events: readonly TimelineRow[];
}

/** The maximum number of findings, and of event names. Less frequent events are one row. */
const MAX_FINDINGS = 10;
const MAX_NAMES = 8;

/** The timeline of these events; null if there are none. */
export function sessionTimeline(
  items: readonly SessionEventItem[],
  insights: readonly InsightWithClaims[],
): SessionTimeline | null {
  const events = items.toSorted((a, b) => a.offsetMs - b.offsetMs);
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) return null;
  const findings = insights.filter(({ type }) => type !== "session-summary").map(createFindingRows(events));
  const placed = findings.filter(({ at }) => at.length > 0);
  return {
    from: first.offsetMs,
    to: last.offsetMs,
    rooms: listVisits(events),
    findings: placed.slice(0, MAX_FINDINGS),
    withoutEvents: findings.length - placed.length,
    events: listNames(events),
  };
}

function createFindingRows(events: readonly SessionEventItem[]) {
  const byId = new Map(events.map((event) => [event.id, event]));
  return (insight: InsightWithClaims): TimelineRow => {
    // Newer services may add kinds of claims.
    const claims = (insight.claims ?? []).flatMap((claim) => claimSchema.safeParse(claim).data ?? []);
    const cited = new Set(claims.flatMap((claim) => listCited(claim, byId)));
    return {
      label: insight.title ?? insight.type,
      mood: getMood(insight),
      at: [...cited].map(({ offsetMs }) => offsetMs).sort((a, b) => a - b),
    };
  };
}

/**
 * The events that a claim refers to. A later session can have reported a crash, and its event can have the id of
 * another event here.
 */
function listCited(claim: Claim, byId: ReadonlyMap<string, SessionEventItem>): SessionEventItem[] {
  const cited = listClaimedEvents(claim).flatMap((id) => byId.get(id) ?? []);
  return claim.kind === "bugs" ? cited.filter(({ name }) => BUG_EVENTS.has(name)) : cited;
}

const BUG_EVENTS: ReadonlySet<string> = new Set([EVENTS.crash, EVENTS.error]);

function getMood({ type }: InsightWithClaims): ChartMood {
  if (frictionTypes.some((friction) => friction === type)) return "bad";
  return praiseTypes.some((praise) => praise === type) ? "good" : "neutral";
}

/** The rooms in order. A visit ends with the first event that names another room. */
function listVisits(events: readonly SessionEventItem[]): RoomVisit[] {
  const visits: { room: string; from: number; to: number }[] = [];
  for (const { data, offsetMs } of events) {
    const room = readEventRoom(data);
    if (room === null) continue;
    const current = visits.at(-1);
    if (current) current.to = offsetMs;
    if (current?.room !== room) visits.push({ room, from: offsetMs, to: offsetMs });
  }
  return visits;
}

function listNames(events: readonly SessionEventItem[]): TimelineRow[] {
  const byName = new Map<string, SessionEventItem[]>();
  for (const event of events) {
    const listed = byName.get(event.name);
    if (listed) listed.push(event);
    else byName.set(event.name, [event]);
  }
  const ranked = [...byName].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const toRow = (label: string, listed: readonly SessionEventItem[]): TimelineRow => ({
    ...{ label, mood: "neutral" },
    at: listed.map(({ offsetMs }) => offsetMs),
  });
  if (ranked.length <= MAX_NAMES + 1) return ranked.map(([name, listed]) => toRow(name, listed));
  const rest = new Set(ranked.slice(MAX_NAMES).map(([name]) => name));
  const others = events.filter(({ name }) => rest.has(name));
  const rows = ranked.slice(0, MAX_NAMES).map(([name, listed]) => toRow(name, listed));
  return [...rows, toRow(`${rest.size} other names`, others)];
}
