/** Lists crashes by their stack signature. */
import {
  type CrashGroup,
  type CrashPage,
  type listCrashes,
  MAX_CRASH_BUILDS,
} from "../../contract/crashes.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { type CrashFilter, countTestersInScope } from "./crash-queries.ts";
import { computeCrashSignature } from "./crash-signature.ts";
import { type Crash, readCrashes } from "./read-crashes.ts";

export const handleListCrashes: Handler<typeof listCrashes> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, gameId, input);
  const { build, env: environment = DEFAULT_ENV, from, to } = input;
  const filter: CrashFilter = { gameId, environment, build, from, to };
  const { crashes, notGrouped } = await readCrashes(db, filter);
  const groups = groupCrashes(crashes);
  const page = toPage(input);
  const items = groups.slice(page.offset, page.offset + page.limit);
  return {
    items,
    ...pageEnd(page.offset, items.length, groups.length),
    environment,
    crashCount: crashes.length,
    testerCount: countTesters(crashes),
    testersInScope: await countTestersInScope(db, filter),
    notGrouped,
  } satisfies CrashPage;
};

const countTesters = (crashes: readonly Crash[]) => new Set(crashes.map(({ tester }) => tester)).size;

/** Groups crashes by their signature: the groups with the most testers first, then those with the most crashes. */
function groupCrashes(crashes: readonly Crash[]): CrashGroup[] {
  const groups = new Map<string, { crash: Crash; message: string | null }[]>();
  for (const crash of crashes) {
    const { signature, message } = computeCrashSignature(crash.event.data);
    const group = groups.get(signature);
    if (group) group.push({ crash, message });
    else groups.set(signature, [{ crash, message }]);
  }
  return [...groups]
    .map(([signature, group]) => describeGroup(signature, group))
    .sort(
      (a, b) =>
        b.testerCount - a.testerCount || b.crashCount - a.crashCount || (a.signature < b.signature ? -1 : 1),
    );
}

function describeGroup(
  signature: string,
  group: readonly { readonly crash: Crash; readonly message: string | null }[],
): CrashGroup {
  const sorted = [...group].sort(
    ({ crash: a }, { crash: b }) => a.recordedAt - b.recordedAt || a.event.timestamp - b.event.timestamp,
  );
  const crashes = sorted.map(({ crash }) => crash);
  const [first, last] = [crashes[0], crashes.at(-1)];
  const builds = describeBuilds(crashes);
  return {
    signature,
    message: sorted.findLast(({ message }) => message !== null)?.message ?? null,
    crashCount: crashes.length,
    sessionCount: new Set(crashes.map(({ crashedSessionId, sessionId }) => crashedSessionId ?? sessionId))
      .size,
    testerCount: countTesters(crashes),
    builds: builds.slice(0, MAX_CRASH_BUILDS),
    buildCount: builds.length,
    firstSeen: first?.recordedAt ?? 0,
    lastSeen: last?.recordedAt ?? 0,
    firstBuild: first?.build ?? "",
    lastBuild: last?.build ?? "",
    sessionId: last?.sessionId ?? "",
    eventId: last?.event.id ?? "",
  };
}

/** The crashes by build, the build of the last crash first. */
function describeBuilds(crashes: readonly Crash[]): CrashGroup["builds"] {
  const byBuild = new Map<string, Crash[]>();
  for (const crash of [...crashes].reverse())
    byBuild.set(crash.build, [...(byBuild.get(crash.build) ?? []), crash]);
  return [...byBuild].map(([build, ofBuild]) => ({
    build,
    crashCount: ofBuild.length,
    testerCount: countTesters(ofBuild),
  }));
}
