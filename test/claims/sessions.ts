/** What a claim can refer to in addition to the events of its session: other sessions, crash reports, answers. */
import { type MeaningConfig, SESSION, Timeline } from "./definitions.ts";
import type { PlayEvent, PlaySession } from "./recording.ts";

/** The answer to one field of a form. */
export interface Answer {
  readonly id: string;
  readonly value: string;
}

/** A session as a claim sees it. */
export interface CheckedSession {
  /** The id that the service gave it. */
  readonly id: string;
  readonly play: PlaySession;
  readonly timeline: Timeline;
  readonly answers: readonly Answer[];
}

/** All sessions of a recording. */
export class Recording {
  readonly sessions: readonly CheckedSession[];

  constructor(
    sessions: ReadonlyArray<{ id: string; play: PlaySession; answers?: readonly Answer[] }>,
    meanings: Readonly<Record<string, MeaningConfig>> = {},
  ) {
    this.sessions = sessions.map(({ id, play, answers = [] }) => ({
      id,
      play,
      timeline: new Timeline(play.events, meanings[play.first.gameId]),
      answers,
    }));
  }

  /** The other sessions of the same game and environment. */
  #others({ id, play }: CheckedSession): CheckedSession[] {
    return this.sessions.filter(
      (other) =>
        other.id !== id &&
        other.play.first.gameId === play.first.gameId &&
        other.play.environment === play.environment,
    );
  }

  /** The times to success in a room in the other sessions of each build, earliest builds and sessions first. */
  usualTimes(session: CheckedSession, room: string): Array<{ build: string; times: number[] }> {
    const builds = new Map<string, number>();
    const inScope = [...this.#others(session), session];
    for (const { play } of inScope) {
      if (play.build === null) continue;
      builds.set(play.build, Math.min(builds.get(play.build) ?? Infinity, startOf({ play })));
    }
    const earliestFirst = [...builds].sort(([, a], [, b]) => a - b);
    return earliestFirst.map(([build]) => ({
      build,
      times: this.#others(session)
        .filter(({ play }) => play.build === build)
        .sort((a, b) => startOf(a) - startOf(b))
        .map(({ timeline }) => timeline.timeToSuccess(room))
        .filter((time) => time !== null),
    }));
  }

  /** The crashes and errors of a session: without crashes of earlier sessions, with those that later sessions reported. */
  bugs(session: CheckedSession): PlayEvent[] {
    const own = session.play.events.filter(
      (event) =>
        event.name === "application_error" ||
        (event.name === "crash_reported" && this.#crashedSession(session, event) === session),
    );
    const reported = this.sessions
      .filter((other) => other !== session)
      .flatMap((other) =>
        other.play.events.filter(
          (event) => event.name === "crash_reported" && this.#crashedSession(other, event) === session,
        ),
      );
    return [...own, ...reported];
  }

  /** The session that crashed: another one of the same game and device if the report names one. */
  #crashedSession(session: CheckedSession, event: PlayEvent): CheckedSession | null {
    const id = event.data?.crashedSessionId;
    if (typeof id !== "string" || id === "" || isIdOf(session, id)) return session;
    const { gameId, deviceId } = session.play.first;
    return (
      this.sessions.find(
        (other) =>
          isIdOf(other, id) && other.play.first.gameId === gameId && other.play.first.deviceId === deviceId,
      ) ?? null
    );
  }

  /** The other sessions that report a crash of a session. */
  findReporters(session: CheckedSession): CheckedSession[] {
    return this.sessions.filter(
      (other) =>
        other !== session &&
        other.play.events.some(
          (event) => event.name === "crash_reported" && this.#crashedSession(other, event) === session,
        ),
    );
  }
}

const startOf = ({ play }: { play: PlaySession }) => play.first.startedAt ?? play.events[0]?.timestamp ?? 0;

const isIdOf = ({ id, play }: CheckedSession, other: string) =>
  other === id || other === play.first.clientSessionId;

/** The middle of sorted numbers. */
export function median(sorted: readonly number[]): number {
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

/** The room that an event names or happens in, or `session`. */
export function placeOf(timeline: Timeline, at: number): string {
  return timeline.namedRoom(at) ?? timeline.visitAt(at)?.room ?? SESSION;
}
