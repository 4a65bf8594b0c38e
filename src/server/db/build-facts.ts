/** What the counters of a build count of one session, of its room times, and of its answers. */
import { listAnswered } from "../../shared/answered-questions.ts";
import { DURATION_LEVELS, findBucket } from "./duration-buckets.ts";
import type { BuildDurationRow, RoomTimeRow, SessionRow } from "./schema.ts";
import type { TesterFact } from "./tester-facts.ts";

/** Counters that sum over sessions or insights instead of counting distinct testers. */
export type SessionCountKind =
  | "sessions"
  /** Sessions without a device. */
  | "anonymous"
  /** Sessions that a version of the rules analyzed. */
  | "version"
  | "country"
  /** Insights with the friction tag. */
  | "insights"
  /** Total duration of the sessions that are not open, ms. */
  | "wall_ms"
  | "active_ms";

/** An amount to add to a counter. */
export interface SessionCount {
  readonly kind: SessionCountKind;
  readonly name: string;
  readonly amount: number;
}

/** The columns of a session that the counters of its build are made from. */
export type BuildCountedSession = Pick<
  SessionRow,
  | ("game_id" | "build" | "environment" | "tester")
  | ("status" | "device_id" | "country" | "analysis_version" | "wall_ms" | "active_ms")
>;

/**
 * Whether a session waits for an analysis. Its durations may change with every batch, so that they are not in the counters,
 * but read from the session itself.
 */
export const isOpen = ({ status }: Pick<SessionRow, "status">): boolean =>
  status === "pending" || status === "processing";

export function listSessionCounts(session: BuildCountedSession): SessionCount[] {
  const { device_id, country, analysis_version, wall_ms, active_ms } = session;
  const counts: SessionCount[] = [{ kind: "sessions", name: "", amount: 1 }];
  if (device_id === null) counts.push({ kind: "anonymous", name: "", amount: 1 });
  if (country !== null) counts.push({ kind: "country", name: country, amount: 1 });
  if (analysis_version !== null) counts.push({ kind: "version", name: String(analysis_version), amount: 1 });
  if (isOpen(session)) return counts;
  return [
    ...counts,
    { kind: "wall_ms", name: "", amount: wall_ms },
    { kind: "active_ms", name: "", amount: active_ms },
  ];
}

/** The buckets of the durations of a session; none if it is open. */
export function listDurations(session: BuildCountedSession): Omit<BuildDurationRow, "sessions">[] {
  if (isOpen(session)) return [];
  const { game_id, build, wall_ms, active_ms } = session;
  const durations = [
    ["wall", wall_ms],
    ["active", active_ms],
  ] as const;
  return durations.flatMap(([kind, ms]) =>
    DURATION_LEVELS.map((level) => ({ game_id, build, kind, level, bucket: findBucket(ms, level).first })),
  );
}

/** A fact without its environment, which is that of the session. */
export type SessionFact = Omit<TesterFact, "environment">;

export const findDeviceFact = ({ device_id }: Pick<SessionRow, "device_id">): SessionFact => ({
  kind: device_id === null ? "anonymous" : "device",
  name: "",
});

export function listRoomFacts({
  room: name,
  completed,
}: Pick<RoomTimeRow, "room" | "completed">): SessionFact[] {
  const facts: SessionFact[] = [{ kind: "room", name }];
  if (completed === null) facts.push({ kind: "room_unknown", name });
  if (completed === 1) facts.push({ kind: "room_completed", name });
  return facts;
}

/** The questions that a submission answers. `responses` is JSON. */
export function listAnswerFacts(responses: string): SessionFact[] {
  return listAnswered(JSON.parse(responses) as Parameters<typeof listAnswered>[0]).map((name) => ({
    kind: "question",
    name,
  }));
}
