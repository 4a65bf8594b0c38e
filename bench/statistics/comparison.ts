/** Simulates the claims about `builds compare`: equal builds show no change, in either direction. */
import { testChanges } from "../../src/charts/tested-changes.ts";
import type { BuildComparison, ComparedBuild } from "../../src/contract/builds.ts";
import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import { diffFriction } from "../../src/shared/friction-diff.ts";
import type { ClaimRow } from "./index.ts";
import { measure, percent } from "./measure.ts";
import {
  always,
  around,
  drawTesters,
  geometric,
  type SimulatedBuild,
  TAG_RATES,
  toBuild,
} from "./simulated-play.ts";

const SIZES = [10, 20, 50];

type Pair = readonly [a: GateBuild, b: GateBuild];

/** The response of a service that reports these builds. */
export function toComparison([a, b]: Pair): BuildComparison {
  const toSide = ({ version, testers, sessions }: GateBuild): ComparedBuild => ({
    version,
    testersInBatch: testers,
    sessionCount: sessions ?? 0,
  });
  const changes = diffTags(a, b);
  const { totals } = diffFriction({ testers: 0, byTag: [] }, { testers: 0, byTag: [] });
  return {
    game: { id: "g", userId: "u", name: "g", slug: "g", createdAt: 0 },
    environment: "production",
    buildA: toSide(a),
    buildB: toSide(b),
    diff: {
      changes: changes.map(({ kind, tag, deltaPct, testersA, testersB }) => ({
        kind,
        tag,
        deltaPct,
        testersA: testersA ?? 0,
        testersB: testersB ?? 0,
      })),
      totals,
    },
  };
}

/** Whether any tag counts as worse or better, with and without knowing what each tester played. */
function showsChange([a, b]: Pair): readonly [matched: boolean, reported: boolean] {
  const comparison = toComparison([a, b]);
  const known = { a: a.history ?? [], b: b.history ?? [] };
  const [matched = false, reported = false] = ([known, "unsupported"] as const).map((history) =>
    testChanges(comparison, history).changes.some(({ result }) => result === "worse" || result === "better"),
  );
  return [matched, reported];
}

interface Case {
  readonly name: string;
  readonly a: Omit<SimulatedBuild, "testers" | "rates">;
  readonly b: Omit<SimulatedBuild, "testers" | "rates">;
}

const sessionCases: readonly Case[] = [
  { name: "1 and 1 session", a: { sessions: always(1) }, b: { sessions: always(1) } },
  { name: "1 and 2 sessions", a: { sessions: always(1) }, b: { sessions: always(2) } },
  { name: "3 and 1 sessions", a: { sessions: always(3) }, b: { sessions: always(1) } },
  { name: "2 and 2 sessions on average", a: { sessions: geometric(2) }, b: { sessions: geometric(2) } },
  { name: "1.5 and 2 sessions on average", a: { sessions: geometric(1.5) }, b: { sessions: geometric(2) } },
  { name: "1 and 1.1 sessions", a: { sessions: always(1) }, b: { sessions: around(1.1) } },
  { name: "4 and 2 sessions on average", a: { sessions: geometric(4) }, b: { sessions: geometric(2) } },
];

const playTimeCases: readonly Case[] = [1.2, 2].flatMap((playTime) => {
  const [shorter, longer] = [1, playTime].map((time) => ({
    sessions: always(1),
    isPerMinute: true,
    playTime: time,
  }));
  if (!shorter || !longer) return [];
  const inB = { name: `b played ${playTime} times as long, friction per minute`, a: shorter, b: longer };
  const inA = { name: `a played ${playTime} times as long, friction per minute`, a: longer, b: shorter };
  return [inB, inA];
});

/** The rows about `builds compare`. */
export function* comparisonClaims(runs: number): Generator<ClaimRow> {
  for (const { name, a, b } of [...sessionCases, ...playTimeCases]) {
    for (const testers of SIZES) {
      const common = { testers, rates: TAG_RATES };
      const [matched, reported] = measure(runs, 11, (random) =>
        showsChange([
          toBuild("a", drawTesters({ ...common, ...a }, random)),
          toBuild("b", drawTesters({ ...common, ...b }, random)),
        ]),
      );
      yield {
        claim: `builds compare: equal builds show any change: ${testers} testers per build, ${name}`,
        target: "≤ 5%",
        measured: `${percent(matched)} (service without play histories: ${percent(reported)})`,
      };
    }
  }
}
