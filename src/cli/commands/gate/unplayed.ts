/** A build that nobody has played yet: there is not enough data, whether it is a new version or a mistyped one. */
import { ClientError } from "../../../client/errors.ts";
import { readComparison } from "../../../client/scorecard.ts";
import type { BuildList } from "../../../contract/build-list.ts";
import { NOT_PLAYED } from "../../../contract/builds.ts";
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type { PairComparison } from "../../../contract/scorecard.ts";
import type { GateRules } from "../../../gate/config.ts";
import type { GateBuild } from "../../../gate/gate-input.ts";
import { toScorecardOptions } from "../../../gate/judge.ts";
import { type BuildScorecard, compareBuildFacts, readGroup } from "../../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../../scorecard/facts.ts";
import { isBuildWord } from "../../../shared/build-words.ts";
import { suggestSimilar } from "../../../shared/similar-names.ts";
import { explainMissing, resolveBuild } from "../builds/resolve.ts";
import type { GateClient, GateComparison, GateQuery } from "./comparison.ts";
import { isNotFound, type ResolvingOptions } from "./gate-query.ts";

/** Follows the version in the note about a build without sessions. */
export const HAS_NO_SESSIONS = "has no sessions yet";

/** What is known while nobody has played b. */
interface Unplayed {
  readonly query: GateQuery;
  readonly comparison: GateComparison;
}

/**
 * The state of a comparison that failed because something does not exist, if that is build b alone. Throws the error otherwise:
 * for another game or baseline, for words such as `latest`, and for a build that is not registered in a game that registers builds.
 */
export async function readUnplayed(
  client: GateClient,
  unresolved: GateQuery,
  config: GateRules,
  options: ResolvingOptions,
  error: unknown,
): Promise<Unplayed> {
  const { game, env, a, b } = unresolved;
  if (isBuildWord(b)) throw error;
  const missing = await client.getBuild({ game, version: b }).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!isNotFound(missing)) throw error;
  const list = await listKnown(client, game);
  if (isRefused(list, missing)) throw error;
  const scope = { game, env, ...options };
  const baseline = isBuildWord(a) ? await resolveBuild(client, scope, "latest").catch(() => null) : a;
  if (baseline === null) throw error;
  const similar = suggestSimilar(
    b,
    list.items.map(({ version }) => version),
    "last builds",
  );
  const notes = [
    ...(unresolved.notes ?? []),
    `${b} ${HAS_NO_SESSIONS}.`,
    ...(similar === null ? [] : [similar]),
  ];
  const query = { ...unresolved, a: baseline, notes };
  const compared =
    typeof baseline === "string"
      ? await compareAlone(client, { game, env, a: baseline }, config, b)
      : compareSaved(baseline.game, baseline.environment, baseline.facts, config, b);
  return { query, comparison: toComparison(compared, query) };
}

/** A comparison with a build that nobody has played, without a request. */
export function describeUnplayed(query: GateQuery, config: GateRules): GateComparison {
  const { game, env = "production", a, b } = query;
  const facts = typeof a === "string" ? createEmptyFacts(a) : a.facts;
  return toComparison(compareSaved(game, env, facts, config, b), query);
}

/** A build alone, as a comparison without rows. `a` is what the missing baseline is called. */
export function describeAlone(
  { game, env = "production", a }: GateQuery & { readonly a: string },
  facts: ReadFacts,
  config: GateRules,
): GateComparison {
  const before = createEmptyFacts(a);
  const scorecard = compareBuildFacts(before, facts, toScorecardOptions(config));
  const compared = toPair(game, env, { ...scorecard, families: [], rows: [] });
  return {
    ...toComparison(compared, { a }),
    a: toGateBuild(before),
    b: toGateBuild(facts),
    unfinished: facts.sessions.open + facts.sessions.unanalyzed,
  };
}

const toGateBuild = ({ version, group, sessions }: ReadFacts): GateBuild => ({
  ...{ version, testers: group.testers.length, facts: group, stats: null },
  ended: sessions.analyzed + sessions.unanalyzed + sessions.failed,
  analyzed: sessions.analyzed,
});

/** The builds of a game, if the service lists them. */
async function listKnown(
  client: GateClient,
  game: string,
): Promise<Pick<BuildList, "items" | "unregistered">> {
  if (!(await client.announces("listBuilds"))) return { items: [] };
  return await client.listBuilds({ game, limit: MAX_PAGE_SIZE });
}

/** Whether the game has registered builds, and the missing one is not registered. */
function isRefused(
  { items, unregistered }: Pick<BuildList, "items" | "unregistered">,
  missing: unknown,
): boolean {
  const isRegistered = missing instanceof ClientError && missing.extra.reason === NOT_PLAYED;
  const registers =
    (unregistered ?? 0) > 0 || items.some(({ registeredAt }) => (registeredAt ?? null) !== null);
  return registers && !isRegistered;
}

/** The baseline, and b without testers. */
async function compareAlone(
  client: GateClient,
  { a, ...scope }: { readonly game: string; readonly env: string | undefined; readonly a: string },
  config: GateRules,
  b: string,
): Promise<PairComparison> {
  const self = await readComparison(client, { ...scope, a, b: a }, toScorecardOptions(config)).catch(
    explainMissing(client, scope.game, [a]),
  );
  const { scorecard } = self;
  const empty =
    typeof scorecard === "string"
      ? scorecard
      : { ...scorecard, families: [], rows: [], b: { ...scorecard.b, ...toEmptyScope(b) } };
  return { ...self, b: { version: b, testers: 0 }, changes: [], evidence: [], scorecard: empty };
}

const NO_SESSIONS = { open: 0, analyzed: 0, unanalyzed: 0, failed: 0 };

const toEmptyScope = (version: string) => ({
  version,
  testers: 0,
  sessions: NO_SESSIONS,
  anonymousSessions: 0,
});

const createEmptyFacts = (version: string): ReadFacts =>
  readGroup({ version, analysisVersions: [], sessions: NO_SESSIONS, fields: [], testers: [] });

function compareSaved(
  slug: string,
  environment: string,
  facts: ReadFacts,
  config: GateRules,
  b: string,
): PairComparison {
  return toPair(slug, environment, compareBuildFacts(facts, createEmptyFacts(b), toScorecardOptions(config)));
}

const toPair = (slug: string, environment: string, scorecard: BuildScorecard): PairComparison => ({
  game: { id: "", userId: "", name: slug, slug, createdAt: 0 },
  ...{ environment, changes: [], evidence: [], scorecard },
  a: { version: scorecard.a.version, testers: scorecard.a.testers },
  b: { version: scorecard.b.version, testers: scorecard.b.testers },
});

function toComparison(
  compared: PairComparison,
  { a, notes = [] }: Pick<GateQuery, "a" | "notes">,
): GateComparison {
  const { game, environment, scorecard } = compared;
  const known = typeof scorecard === "string" ? null : scorecard.a.sessions;
  const ended = known === null ? null : known.analyzed + known.unanalyzed + known.failed;
  return {
    ...{ slug: game.slug, gameName: game.name, environment, notes, isSaved: typeof a !== "string" },
    a: { ...compared.a, ended, analyzed: known?.analyzed ?? null, facts: null, stats: null },
    b: { ...compared.b, ended: 0, analyzed: 0, facts: null, stats: null },
    ...{ unfinished: 0, selectsEvidence: true },
    compareAt: async () => compared,
  };
}
