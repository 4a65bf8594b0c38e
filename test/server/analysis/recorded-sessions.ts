/** Helpers to build recorded sessions for the rules, and to validate findings. */
import { expect } from "vitest";
import { claim } from "../../../src/contract/claims.ts";
import { insightTypes, sentiments } from "../../../src/contract/insights.ts";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import { defaultMeanings } from "../../../src/server/analysis/meanings.ts";
import type {
  RecordedSession,
  SessionEvent,
  SessionFinding,
} from "../../../src/server/analysis/recorded-session.ts";

export const START = 1_700_000_000_000;

/** Seconds since the start, event name, room, other data. */
export type Step = readonly [seconds: number, name: string, room?: unknown, data?: Record<string, unknown>];

/** Events with the ids e0, e1, … in the given order. */
export function createEvents(steps: readonly Step[]): SessionEvent[] {
  return steps.map(([seconds, name, room, data], at) => ({
    id: `e${at}`,
    name,
    timestamp: START + Math.round(seconds * 1000),
    data:
      room === undefined && data === undefined ? null : { ...data, ...(room === undefined ? {} : { room }) },
  }));
}

/** An ended session with the default meanings and no snapshot. */
export function toRecordedSession(
  steps: readonly Step[],
  more: Partial<RecordedSession> = {},
): RecordedSession {
  return { events: createEvents(steps), meanings: defaultMeanings, snapshot: null, ended: true, ...more };
}

/** `count` events with one name in one room, `every` seconds apart, starting at `from` seconds. */
export function repeated(count: number, name: string, room: string, from = 0, every = 10): Step[] {
  return Array.from({ length: count }, (_, index) => [from + index * every, name, room] as const);
}

/** The findings of one type in a session with these steps. */
export function findingsOf(
  kind: SessionFinding["type"],
  steps: readonly Step[],
  more: Partial<RecordedSession> = {},
) {
  return analyze(toRecordedSession(steps, more)).filter(({ type }) => type === kind);
}

/** The findings without their claims and times, for snapshots of their texts. */
export function withoutClaims(
  findings: readonly SessionFinding[],
): Omit<SessionFinding, "claims" | "afterMs">[] {
  return findings.map(({ claims, afterMs, ...finding }) => finding);
}

export function tagsOf(findings: readonly SessionFinding[]): string[] {
  return findings.map(({ tag }) => tag);
}

export const tagShape = /^[a-z-]+:[\p{L}\p{M}\p{N}_.-]+$/u;
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Fails unless a finding is valid. */
export function expectValid(finding: SessionFinding): void {
  expect(insightTypes).toContain(finding.type);
  expect(sentiments).toContain(finding.sentiment);
  expect(finding.confidence).toBeGreaterThanOrEqual(0);
  expect(finding.confidence).toBeLessThanOrEqual(1);
  expect(Math.round(finding.confidence * 100) / 100).toBe(finding.confidence);
  expect(finding.tag).toMatch(tagShape);
  expect(finding.tag).toBe(finding.tag.toLowerCase());
  expect(finding.tag.length).toBeLessThanOrEqual(80);
  expect(finding.tag.startsWith(`${finding.type}:`)).toBe(true);
  expect(finding.title).not.toMatch(unprintable);
  expect(finding.evidence).not.toMatch(unprintable);
  expect(finding.title.isWellFormed() && finding.evidence.isWellFormed()).toBe(true);
  expect(finding.title.length).toBeGreaterThan(0);
  expect(finding.title.length).toBeLessThanOrEqual(300);
  expect(finding.evidence.length).toBeLessThanOrEqual(4000);
  expect(claim.array().parse(finding.claims)).toEqual(finding.claims);
  expect(finding.claims.length).toBeGreaterThan(0);
  expect(finding.afterMs ?? 0).toBeGreaterThanOrEqual(0);
  expect(Object.keys({ ...finding, afterMs: 0 }).sort()).toEqual([
    "afterMs",
    "claims",
    "confidence",
    "evidence",
    "sentiment",
    "tag",
    "title",
    "type",
  ]);
}
