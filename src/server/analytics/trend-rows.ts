/** A row of the scorecard, such as a friction tag, over several builds. */
import type { HttpError } from "../../contract/errors.ts";
import type { Trend, TrendPoint } from "../../contract/trends.ts";
import type { ReadFacts, TesterFacts } from "../../scorecard/facts.ts";
import { type Figure, keepRow, measureGroups, parseRowId, type RowName } from "../../scorecard/figures.ts";
import type { Metric } from "../../scorecard/metrics.ts";
import { describeRow } from "../../scorecard/titled-rows.ts";
import { describeNearest } from "../../shared/similar-names.ts";
import { bootstrapInterval, drawOnce, prepareRatio } from "../../statistics/bootstrap.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import type { BuildScope } from "../builds/build-queries.ts";
import { createPlainReader, readBuildGroup } from "../builds/facts-queries.ts";
import { unknownFilterError } from "../core/http-errors.ts";
import type { Db } from "../db/schema.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";

/** The row that a request names. */
interface RequestedRow {
  /** A friction tag, or such as `quit:level-01`. */
  readonly id: string;
  readonly questions: QuestionsByTag;
  /** Unix ms. */
  readonly now: number;
}

/** The values of a row in each build. Throws `unknown_tag` if no build has the row. */
export async function trackRow(
  db: Db,
  scopes: readonly BuildScope[],
  { id, questions, now }: RequestedRow,
): Promise<Pick<Trend, "tag" | "title" | "metric" | "unit" | "points">> {
  const row = parseRowId(id);
  const reader = createPlainReader(now);
  const builds: ReadFacts[] = [];
  const known = new Set<string>();
  const labels = new Map<string, string>();
  for (const scope of scopes) {
    const build = await readBuildGroup(db, scope, reader);
    for (const subject of listSubjects(build.group.testers, row)) known.add(subject);
    for (const { field, label } of build.fields) labels.set(field, label);
    const { group } = build;
    builds.push({ ...build, group: { ...group, testers: keepRow(group.testers, row) } });
  }
  const groups = builds.map(({ group }) => group);
  const figures = measureGroups(groups, [row.metric]);
  const points = builds.flatMap((build, at): TrendPoint[] => {
    const figure = figures[at]?.find(({ subject }) => subject === row.subject);
    return figure === undefined ? [] : [toPoint(build, figure)];
  });
  if (points.length < builds.length || points.length === 0) throw unknownRowError(row, known, scopes);
  return { ...nameRow(row, labels, questions), points };
}

const units: Readonly<Record<Metric["unit"], Trend["unit"]>> = {
  share: "share",
  points: "points",
  sec: "seconds",
  ...{ ms: "ms", mb: "mb", "per-min": "per-min" },
};

/** The row in words. Only a friction tag is a tag. */
function nameRow(
  { metric, subject }: RowName,
  labels: ReadonlyMap<string, string>,
  questions: QuestionsByTag,
) {
  const unit = units[metric.unit];
  const tag = metric.name === "friction" ? subject : null;
  if (tag !== null) return { tag, title: describeTag(tag, questions).label, metric: null, unit };
  const name = subject === null ? metric.name : `${metric.name}:${subject}`;
  return {
    tag: null,
    title: describeRow({ name: metric.name, metric: name, subject }, labels),
    metric: name,
    unit,
  };
}

function toPoint({ version, group, sessions, anonymousSessions }: ReadFacts, figure: Figure): TrendPoint {
  const { total, count, value, values } = figure;
  const { analyzed, unanalyzed, failed } = sessions;
  return {
    build: version,
    testers: group.testers.length + anonymousSessions,
    sessions: analyzed + unanalyzed + failed,
    counted: total,
    withTag: count,
    value,
    interval:
      total === 0
        ? null
        : count === null
          ? computeMeanInterval([...values].filter((own) => !Number.isNaN(own)))
          : wilsonInterval(count, total),
    analysisVersions: [...(group.analysisVersions ?? [])],
  };
}

function computeMeanInterval(values: readonly number[]): TrendPoint["interval"] {
  const meanOf = prepareRatio(values.map((part) => ({ part, whole: 1 })));
  const once = drawOnce(values.length);
  return bootstrapInterval([values.length], ([draws = once]) => meanOf(draws));
}

/** What the sessions of these testers have rows of, of the kind that a metric has: tags, rooms or form fields. */
function* listSubjects(testers: readonly TesterFacts[], { metric: { name } }: RowName): Iterable<string> {
  for (const { rooms, tags, answers } of testers.flatMap(({ sessions }) => sessions)) {
    if (name === "friction") for (const { tag } of tags) yield tag;
    else if (name === "rating" || name === "yes") for (const { field } of answers) yield field;
    else for (const { room } of rooms) yield room;
  }
}

/** A row that no build has. An empty trend would look as if the problem was fixed. */
function unknownRowError(
  { metric: { name }, subject }: RowName,
  known: ReadonlySet<string>,
  scopes: readonly BuildScope[],
): HttpError {
  const isTag = name === "friction";
  const toId = (subject: string) => (isTag ? subject : `${name}:${subject}`);
  const id = toId(subject ?? "");
  const [environment] = scopes.map((scope) => scope.environment);
  const where = environment === undefined || environment === "all" ? "" : ` in ${environment}`;
  const what =
    scopes.length === 0 ? "no build has sessions" : `none of the last ${scopes.length} builds has it`;
  const nearest = isTag
    ? describeNearest(id, known, "friction tags there", "These builds have no friction at all")
    : describeNearest(id, new Set([...known].map(toId)), "rows there", `These builds have no row of ${name}`);
  return unknownFilterError(
    "unknown_tag",
    `${isTag ? "Friction tag" : "Row"} ${JSON.stringify(id)} not found: ${what}${where}. ${nearest}`,
  );
}
