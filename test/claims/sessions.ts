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

/** The times to success in a room in the sessions of one build. */
export interface UsualTimes {
  readonly build: string;
  /** Number of sessions in the room, including the compared session. */
  readonly sessions: number;
  /** The times in the other sessions, ms, in the order of the sessions. */
  readonly times: readonly number[];
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

  /** The times to success in a room, earliest sessions first, of each build, the build that entered it first first. */
  usualTimes(session: CheckedSession, room: string): UsualTimes[] {
    const { gameId } = session.play.first;
    const inRoom = this.sessions
      .filter(({ play }) => play.first.gameId === gameId && play.environment === session.play.environment)
      .filter(({ timeline }) => timeline.visitsOf(room).length > 0)
      .sort((a, b) => startOf(a) - startOf(b));
    const builds = new Set(inRoom.map(({ play }) => play.build).filter((build) => build !== null));
    return [...builds].map((build) => {
      const own = inRoom.filter(({ play }) => play.build === build);
      const others = own.filter((other) => other !== session);
      const times = others
        .map(({ timeline }) => timeline.timeToSuccess(room))
        .filter((time) => time !== null);
      return { build, sessions: own.length, times };
    });
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
          isIdOf(other, id) &&
          other.play.first.gameId === gameId &&
          other.play.first.deviceId === deviceId &&
          firstTimeOf(other) < firstTimeOf(session),
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

const firstTimeOf = ({ play }: CheckedSession) => play.events[0]?.timestamp ?? Number.NaN;

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
