/** The drop-off of a build: in which rooms its testers quit, by the quits and completions of the scorecard. */
import { type DropoffRoom, type getBuildDropoff, MAX_DROPOFF_ROOMS } from "../../contract/dropoff.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { TesterFacts } from "../../scorecard/facts.ts";
import { type Figure, measureGroups } from "../../scorecard/figures.ts";
import { METRICS } from "../../scorecard/metrics.ts";
import { hasTimedSessions } from "../../scorecard/timed-sessions.ts";
import { median } from "../../statistics/averages.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import type { Handler } from "../accounts/handler.ts";
import { createPlainReader, readBuildGroup } from "../builds/facts-queries.ts";
import { readRoomNames } from "../builds/room-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";

export const handleGetBuildDropoff: Handler<typeof getBuildDropoff> = async (input, call) => {
  const { db, accountId, service } = call;
  const { version, env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: version, env: environment });
  const scope = { gameId: game.id, version, environment };
  const names = await readRoomNames(db, scope);
  const { group, sessions } = await readBuildGroup(db, scope, createPlainReader(service.now()));
  return {
    ...{ game: toGame(game), version, environment, sessions },
    testers: group.testers.length,
    hasTimedSessions: hasTimedSessions(group),
    rooms: countDropoff(group.testers, names),
  };
};

/** The rooms that testers entered, the most quit ones first. `names` has what games call rooms, by their names in tags. */
function countDropoff(testers: readonly TesterFacts[], names: ReadonlyMap<string, string>): DropoffRoom[] {
  const metrics = METRICS.filter(({ name }) => name === "quit" || name === "completion");
  const [figures = []] = measureGroups([{ testers }], metrics);
  const completed = new Map(
    figures.flatMap(({ metric, subject, count }) => (metric.name === "completion" ? [[subject, count]] : [])),
  );
  return figures
    .flatMap((figure) => {
      const { metric, subject } = figure;
      if (metric.name !== "quit" || subject === null) return [];
      const room = names.get(subject) ?? subject;
      return [{ room, completed: completed.get(subject) ?? 0, ...countQuits(figure, subject, testers) }];
    })
    .sort((x, y) => y.quit - x.quit || y.quitShare - x.quitShare || (x.room < y.room ? -1 : 1))
    .slice(0, MAX_DROPOFF_ROOMS);
}

function countQuits(
  { total, count, value, values }: Figure,
  room: string,
  testers: readonly TesterFacts[],
): Omit<DropoffRoom, "room" | "completed"> {
  const quit = count ?? 0;
  const times = testers.filter((_, at) => values[at] === 1).map((tester) => sumActiveSec(tester, room));
  return {
    entered: total,
    quit,
    quitShare: value ?? 0,
    interval: wilsonInterval(quit, total),
    medianActiveSec: times.length === 0 ? null : median(times),
  };
}

const sumActiveSec = ({ sessions }: TesterFacts, room: string): number =>
  sessions
    .flatMap(({ rooms }) => rooms)
    .reduce((sum, one) => (one.room === room ? sum + one.activeSec : sum), 0);
