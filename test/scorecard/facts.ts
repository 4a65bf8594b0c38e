/** Facts of made-up testers, for tests and simulations of the scorecard. */
import type { GroupFacts, RoomFacts, SessionFacts, TesterFacts } from "../../src/scorecard/facts.ts";
import type { ScorecardOptions } from "../../src/scorecard/scorecard.ts";

export const OPTIONS: ScorecardOptions = {
  level: 0.05,
  families: ["friction", "quits"],
  limits: { friction: 0.1, quit: 0.1 },
  newRooms: { max: 0.4, count: "new" },
};

const WALL_SEC = 660;

export const room = (name: string, facts: Partial<RoomFacts> = {}): RoomFacts => ({
  room: name,
  afterSec: 0,
  activeSec: 60,
  completed: false,
  failed: true,
  quit: false,
  gaveUp: false,
  ...facts,
});

export const session = (facts: Partial<SessionFacts> = {}): SessionFacts => ({
  startSec: 0,
  activeSec: 600,
  wallSec: WALL_SEC,
  analyzed: true,
  crashed: false,
  rooms: [],
  tags: [],
  questions: [],
  answers: [],
  ...facts,
});

export const tester = (sessions: readonly SessionFacts[], id: string | null = null): TesterFacts => ({
  tester: id,
  isReturning: null,
  observedSec: 10 * 86_400,
  sessions,
});

/** A tester who quit in a hall, or completed it. */
export const inHall = (quit: boolean) =>
  tester([session({ rooms: [room("hall", { quit, completed: !quit })] })]);

export const group = (testers: readonly TesterFacts[]): GroupFacts => ({
  analysisVersions: [1],
  outcomeVersions: [1],
  testers,
});

/** This many testers, the first of which have the outcome. Their sessions are not equally long, unless they say how long. */
export const testers = (
  total: number,
  count: number,
  create: (hasOutcome: boolean, at: number) => TesterFacts,
): TesterFacts[] =>
  Array.from({ length: total }, (_, at) => {
    const { sessions, ...rest } = create(at < count, at);
    const vary = (wallSec: number) => (wallSec === WALL_SEC ? wallSec + 60 * at : wallSec);
    return { ...rest, sessions: sessions.map((one) => ({ ...one, wallSec: vary(one.wallSec) })) };
  });

/** Play of a length, in sessions of the same length, in which each tag comes at random with the share that it has in 600 s. */
export function playAtRandom(
  random: () => number,
  { sec, sessions, tags }: { sec: number; sessions: number; tags: Readonly<Record<string, number>> },
): SessionFacts[] {
  const each = sec / sessions;
  return Array.from({ length: sessions }, (_, at) =>
    session({
      startSec: at * 7200,
      activeSec: each,
      wallSec: each * (1 + random()),
      tags: Object.entries(tags).flatMap(([tag, share]) => {
        const afterSec = (Math.log(1 - random()) / Math.log(1 - share)) * 600;
        return afterSec < each ? [{ tag, afterSec }] : [];
      }),
    }),
  );
}
