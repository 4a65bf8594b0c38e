/** The terminal view of a blame: the answer in words, the comparisons behind it, and the method. */
import { formatTrendTitle } from "../../../charts/trend.ts";
import { describeWhere } from "../../../contract/fields.ts";
import type { Trend } from "../../../contract/trends.ts";
import type { Blame } from "../../../gate/blame.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import type { Style } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { stepColumns } from "../../../render/tables/blame.ts";
import { cleanLine } from "../../../render/text.ts";
import { parseRowId } from "../../../scorecard/figures.ts";
import { formatPValue } from "../../../shared/p-value.ts";

/** The answer in sentences, the conclusion first. */
export function describeBlame(trend: Trend, blame: Blame): string[] {
  const title = formatTrendTitle(trend);
  const { verdict, build, since, steps } = blame;
  const step = steps.find(({ a, b, rose }) => rose && a === since && b === build);
  const counts =
    step &&
    `${step.counts.testersA} of ${step.counts.totalA} testers in ${step.a}, ${step.counts.testersB} of ${step.counts.totalB} in ${step.b} (corrected p-value: ${formatPValue(step.adjustedP)})`;
  const latest = describeLatest(trend, build);
  if (verdict === "rose") {
    const earlier = [...describeEarlierRise(blame), ...describeNewRoom(blame)];
    return [`${title} rose in ${build}: ${counts}.`, ...earlier, ...latest];
  }
  if (verdict === "gradual") {
    return [
      `${title} rose gradually from ${since} to ${build}, but in no single build: ${counts}.`,
      ...describeNewRoom(blame),
      ...latest,
    ];
  }
  if (verdict === "new_room") {
    const later = steps.length > 0 ? ["Since then, no rise can be shown."] : [];
    return [`${title} appeared in ${build} with its room.`, ...describeNewRoom(blame), ...later, ...latest];
  }
  if (verdict === "not_shown") {
    const first = describeFirst(trend);
    const answer =
      first === null
        ? `No rise of ${title} can be shown.`
        : `${first} is the first of these builds with ${title}, but a rise beyond chance cannot be shown.`;
    return [answer, ...describeSensitivity(blame)];
  }
  return [`${title} cannot be compared: fewer than two of these builds can be compared.`];
}

/** A gradual rise that was confirmed before the build with the sudden one. */
function describeEarlierRise({ steps, build }: Blame): string[] {
  const order = steps.filter(({ isConsecutive }) => isConsecutive).map(({ b }) => b);
  const earlier = steps.find(
    ({ isConsecutive, rose, b }) => !isConsecutive && rose && order.indexOf(b) < order.indexOf(build ?? ""),
  );
  return earlier ? [`Before that, it had already risen gradually from ${earlier.a} to ${earlier.b}.`] : [];
}

/** The first build in which anyone was affected; null if no build before it had testers who could have been. */
function describeFirst({ points }: Trend): string | null {
  const at = points.findIndex(({ withTag }) => (withTag ?? 0) > 0);
  const first = points[at];
  if (first === undefined || !points.slice(0, at).some(({ counted }) => counted > 0)) return null;
  return `${first.build}, with ${first.withTag} of ${first.counted} testers,`;
}

/** Since when testers have entered the room of the tag, if nobody entered it in the builds before. */
function describeNewRoom({ newRoom }: Blame): string[] {
  if (newRoom === null) return [];
  const { room, build, before, entered, withTag } = newRoom;
  const earlier = before.length === 1 ? before[0] : `any of the ${before.length} builds before it`;
  const who = entered === 1 ? "1 tester" : `${entered} testers`;
  return [
    `${build} is the first of these builds in which anyone entered ${room}: ${withTag} of the ${who} who count there ${withTag === 1 ? "has" : "have"} the problem.`,
    `Nobody entered ${room} in ${earlier}, so there is nothing to compare that with: the room is new, or nobody got that far before.`,
  ];
}

/** The share in the last build, if it is another one. */
function describeLatest({ points }: Trend, build: string | null): string[] {
  const last = points.findLast(({ value }) => value !== null && value !== undefined);
  if (!last || last.build === build || last.withTag === null || last.withTag === undefined) return [];
  return [`In ${last.build}, it affected ${last.withTag} of ${last.counted} testers.`];
}

/** What a rise must have been to be noticed. */
function describeSensitivity({ steps, noticedTesters, rule }: Blame): string[] {
  const last = steps.findLast(({ isConsecutive }) => isConsecutive);
  if (last === undefined) return [];
  const { totalB } = last.counts;
  return noticedTesters === null
    ? [`With so few testers, no rise from ${last.a} to ${last.b} could be noticed.`]
    : [
        `From ${last.a} to ${last.b}, it must affect at least ${noticedTesters} of ${totalB} testers to be noticed, and increases of up to ${rule.maxIncreasePoints} percentage points are allowed.`,
      ];
}

/** The builds that are left out, one sentence for each reason. */
function listSkipped({ skipped }: Blame): string[] {
  const byReason = new Map<string, string[]>();
  for (const { build, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), build]);
  return [...byReason].map(([reason, builds]) => `Left out: ${builds.join(", ")} (${reason}).`);
}

export function blameView(trend: Trend, blame: Blame, options: RenderOptions): string {
  const paragraph = (sentences: string, style: Style | null = null) =>
    renderParagraph(cleanLine(sentences), "", options, style);
  const [answer = "", ...more] = describeBlame(trend, blame);
  const lines = [
    ...paragraph(answer, blame.verdict === "rose" ? "bad" : "strong"),
    ...renderParagraph(cleanLine(describeWhere(trend.game.slug, trend.environment)), "  ", options),
    ...(more.length === 0 ? [] : paragraph(more.join(" "))),
    ...listSkipped(blame).flatMap((sentence) => paragraph(sentence, "muted")),
    ...(blame.steps.length === 0
      ? []
      : [
          "",
          renderTable(blame.steps, stepColumns, options).trimEnd(),
          ...paragraph(describeMethod(trend), "muted"),
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeMethod({ tag, metric }: Trend): string {
  const { needsEqualPlay } = parseRowId(tag ?? metric ?? "").metric;
  const play = needsEqualPlay ? " among equally long play" : "";
  return `P-values: the test of the scorecard for an increase${play}, corrected for all comparisons above.`;
}
