/** Archetypes: testers grouped greedily by the cosine similarity of their summaries' embeddings. */
import { createHash } from "node:crypto";
import type { Archetype } from "../../contract/archetypes.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";

/** Testers whose summaries are at least this similar to a group's mean belong to it. */
export const MIN_SIMILARITY = 0.8;
/** The share of a group's testers that makes a tag common to it. */
export const MIN_COMMON_SHARE = 0.5;
/** Tags and testers that stand for a group. */
const MAX_COMMON_TAGS = 5;
const MAX_REPRESENTATIVES = 3;

/** All that is known of one tester. */
export interface ArchetypeTester {
  readonly deviceId: string;
  readonly handle: string | null;
  readonly narrative: string;
  readonly sessions: number;
  readonly activeMs: number;
  readonly tags: readonly string[];
}

/** The cosine of the angle between two vectors of one length, neither of length 0. */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [at, x] of a.entries()) {
    const y = b[at] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}

interface EmbeddingCluster {
  /** Positions of its members. */
  readonly members: number[];
  /** The sum of its members' unit vectors: it points where their mean does. */
  readonly sum: number[];
}

/**
 * Greedy clustering in the order given: each vector joins the cluster whose mean is most similar to it, the first of
 * equals, if that is at least SIMILARITY; otherwise it begins one of its own. The same order gives the same clusters.
 */
export function clusterGreedily(vectors: readonly (readonly number[])[]): number[][] {
  const clusters: EmbeddingCluster[] = [];
  for (const [at, vector] of vectors.entries()) {
    let nearest: EmbeddingCluster | null = null;
    let best = MIN_SIMILARITY;
    for (const cluster of clusters) {
      const similarity = cosineSimilarity(cluster.sum, vector);
      if (similarity > best || (similarity === best && nearest === null))
        [nearest, best] = [cluster, similarity];
    }
    if (nearest === null) {
      nearest = { members: [], sum: vector.map(() => 0) };
      clusters.push(nearest);
    }
    nearest.members.push(at);
    const length = Math.sqrt(vector.reduce((total, part) => total + part * part, 0));
    for (const [index, part] of vector.entries())
      nearest.sum[index] = (nearest.sum[index] ?? 0) + part / length;
  }
  return clusters.map(({ members }) => members);
}

/** The archetypes of testers with their vectors: the largest first, ties by the first member. */
export function groupIntoArchetypes(
  testers: readonly ArchetypeTester[],
  vectors: readonly (readonly number[])[],
  questions: QuestionsByTag,
): Archetype[] {
  const made = clusterGreedily(vectors).map((members) => toArchetype(members, testers, vectors, questions));
  made.sort((a, b) => b.testerCount - a.testerCount);
  return withUniqueLabels(made);
}

/** Archetypes whose labels differ: two groups may differ in what no label tells, and get a number then. */
export function withUniqueLabels(archetypes: readonly Archetype[]): Archetype[] {
  const labels = new Map<string, number>();
  return archetypes.map((one) => {
    const nth = (labels.get(one.label) ?? 0) + 1;
    labels.set(one.label, nth);
    return nth === 1 ? one : { ...one, label: `${one.label} (${nth})` };
  });
}

function toArchetype(
  members: readonly number[],
  testers: readonly ArchetypeTester[],
  vectors: readonly (readonly number[])[],
  questions: QuestionsByTag,
): Archetype {
  const own = members.flatMap((at) => testers[at] ?? []);
  const tags = commonTags(own);
  const mean = (of: (tester: ArchetypeTester) => number) =>
    own.reduce((total, tester) => total + of(tester), 0) / own.length;
  const ids = own.map((tester) => tester.deviceId);
  return {
    id: `arch_${createHash("sha256").update(JSON.stringify(ids)).digest("hex").slice(0, 12)}`,
    label: tags[0] === undefined ? "Plays without common friction" : describeTag(tags[0], questions).label,
    testerCount: own.length,
    commonFrictionTags: tags,
    avgSessionCount: mean((tester) => tester.sessions),
    avgActivePlayMinutes: mean((tester) => tester.activeMs) / 60_000,
    representativeTesters: nearestToMean(members, vectors).flatMap((at) => {
      const tester = testers[at];
      return tester ? [{ handle: tester.handle ?? tester.deviceId, summary: tester.narrative }] : [];
    }),
  };
}

/** The tags that at least MIN_COMMON_SHARE of the testers met: the most met first, ties by tag. */
function commonTags(testers: readonly ArchetypeTester[]): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of testers) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= testers.length * MIN_COMMON_SHARE)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MAX_COMMON_TAGS)
    .map(([tag]) => tag);
}

/** The members nearest to their mean, the first of equals first. */
function nearestToMean(members: readonly number[], vectors: readonly (readonly number[])[]): number[] {
  const sum: number[] = [];
  for (const at of members) {
    const vector = vectors[at] ?? [];
    const length = Math.sqrt(vector.reduce((total, part) => total + part * part, 0));
    for (const [index, part] of vector.entries()) sum[index] = (sum[index] ?? 0) + part / length;
  }
  const likeness = new Map(members.map((at) => [at, cosineSimilarity(sum, vectors[at] ?? [])]));
  return members
    .toSorted((a, b) => (likeness.get(b) ?? 0) - (likeness.get(a) ?? 0) || a - b)
    .slice(0, MAX_REPRESENTATIVES);
}
