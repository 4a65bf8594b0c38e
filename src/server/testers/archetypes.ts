/** Archetypes: greedy clustering of testers by the cosine similarity of their summaries' embeddings. */
import { createHash } from "node:crypto";
import type { Archetype } from "../../contract/archetypes.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";

/** Minimum cosine similarity to the mean of a cluster to join it. */
export const MIN_SIMILARITY = 0.8;
/** Minimum share of the testers in a group for a tag to be common. */
const MIN_COMMON_SHARE = 0.5;
/** Maximum numbers of common tags and representative testers per group. */
const MAX_COMMON_TAGS = 5;
const MAX_REPRESENTATIVES = 3;

/** The data of one tester. */
export interface ArchetypeTester {
  readonly deviceId: string;
  readonly handle: string | null;
  readonly narrative: string;
  readonly sessions: number;
  readonly activeMs: number;
  readonly tags: readonly string[];
}

/** The cosine similarity of two vectors with the same dimensions, neither of which is all zeros. */
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
  /** Indexes of its members. */
  readonly members: number[];
  /** The sum of its members' unit vectors, which has the same direction as their mean. */
  readonly sum: number[];
}

/**
 * Greedy clustering in the given order. Each vector joins the cluster with the most similar mean (the first one if
 * tied) if the similarity is at least MIN_SIMILARITY, otherwise it starts a new cluster. Returns the member indexes of
 * each cluster. The result is deterministic for a given order.
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

/** Groups testers with their embeddings into archetypes, the largest first, ties by the first member. */
export function groupIntoArchetypes(
  testers: readonly ArchetypeTester[],
  vectors: readonly (readonly number[])[],
  questions: QuestionsByTag,
): Archetype[] {
  const archetypes = clusterGreedily(vectors).map((members) =>
    toArchetype(members, testers, vectors, questions),
  );
  archetypes.sort((a, b) => b.testerCount - a.testerCount);
  return withUniqueLabels(archetypes.map((archetype) => addDistinction(archetype, archetypes)));
}

/** Adds the most common friction to a repeated label that no other archetype with this label has in common. */
function addDistinction(archetype: Archetype, archetypes: readonly Archetype[]): Archetype {
  const { id, label, commonFrictionTitles } = archetype;
  const others = archetypes.filter((other) => other.label === label && other.id !== id);
  if (others.length === 0) return archetype;
  const distinctive = commonFrictionTitles?.find(
    (title) => !others.some((other) => other.commonFrictionTitles?.includes(title)),
  );
  return distinctive === undefined ? archetype : { ...archetype, label: `${label}; ${distinctive}` };
}

/** Makes labels unique by appending a number to repeated labels. */
export function withUniqueLabels(archetypes: readonly Archetype[]): Archetype[] {
  const labels = new Map<string, number>();
  return archetypes.map((archetype) => {
    const count = (labels.get(archetype.label) ?? 0) + 1;
    labels.set(archetype.label, count);
    return count === 1 ? archetype : { ...archetype, label: `${archetype.label} (${count})` };
  });
}

function toArchetype(
  members: readonly number[],
  testers: readonly ArchetypeTester[],
  vectors: readonly (readonly number[])[],
  questions: QuestionsByTag,
): Archetype {
  const group = members.flatMap((at) => testers[at] ?? []);
  const tags = commonTags(group);
  const titles = tags.map((tag) => describeTag(tag, questions).label);
  const mean = (value: (tester: ArchetypeTester) => number) =>
    group.reduce((total, tester) => total + value(tester), 0) / group.length;
  const ids = group.map((tester) => tester.deviceId);
  return {
    id: `arch_${createHash("sha256").update(JSON.stringify(ids)).digest("hex").slice(0, 12)}`,
    label: titles[0] ?? "No common friction",
    testerCount: group.length,
    commonFrictionTags: tags,
    commonFrictionTitles: titles,
    avgSessionCount: mean((tester) => tester.sessions),
    avgActivePlayMinutes: mean((tester) => tester.activeMs) / 60_000,
    representativeTesters: findClosestToMean(members, vectors).flatMap((at) => {
      const tester = testers[at];
      return tester ? [{ handle: tester.handle ?? tester.deviceId, summary: tester.narrative }] : [];
    }),
  };
}

/** The tags of at least MIN_COMMON_SHARE of the testers, the most common first, ties by tag. */
function commonTags(testers: readonly ArchetypeTester[]): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of testers) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= testers.length * MIN_COMMON_SHARE)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MAX_COMMON_TAGS)
    .map(([tag]) => tag);
}

/** The members closest to their mean, the first one first if tied. */
function findClosestToMean(members: readonly number[], vectors: readonly (readonly number[])[]): number[] {
  const sum: number[] = [];
  for (const at of members) {
    const vector = vectors[at] ?? [];
    const length = Math.sqrt(vector.reduce((total, part) => total + part * part, 0));
    for (const [index, part] of vector.entries()) sum[index] = (sum[index] ?? 0) + part / length;
  }
  const similarities = new Map(members.map((at) => [at, cosineSimilarity(sum, vectors[at] ?? [])]));
  return members
    .toSorted((a, b) => (similarities.get(b) ?? 0) - (similarities.get(a) ?? 0) || a - b)
    .slice(0, MAX_REPRESENTATIVES);
}
