/** insights list --by tag: the problems of a build by the testers who had them, each with an example. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { paginateByOffset } from "../../../client/paging.ts";
import type { InsightItem } from "../../../contract/insights.ts";
import * as insights from "../../../contract/insights.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { TAG_WIDTH } from "../../../render/tables/insights.ts";
import { cleanLine } from "../../../render/text.ts";
import { createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { repeatSelection, type SelectionFlags } from "../../suggested-commands.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { createBuildScope, explainMissing, resolveBuild } from "../builds/resolve.ts";
import type { FetchPage } from "../lists.ts";

/** Without --all, this many problems are shown. */
const MAX_ROWS = 10;

interface TagFlags {
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly all: boolean;
}

export async function listTags(context: Context, { build = "latest", env, all }: TagFlags): Promise<Result> {
  const client = await context.client(comparisonEndpoints, { keepAlive: true });
  const game = await context.requireGame();
  const isTable = context.settings.format.value === "table";
  const read = async (chosen: string | undefined) => {
    const version = await resolveBuild(client, createBuildScope(context, game, chosen), build);
    const scope = { game, build: version, env: chosen };
    return await readTags(context, client, scope, all || !isTable ? Number.POSITIVE_INFINITY : MAX_ROWS);
  };
  const { found, rest } = await inEnvironment(context, env, read, (answer) => answer.found.testers === 0);
  const empty = `No problems found in build ${found.build} in ${found.environment}.`;
  return {
    data: found,
    table: createTable(found.items, tagGroupColumns, empty),
    view: (options) =>
      found.items.length === 0 ? "" : tagsView(found, { rest, selection: context.selection }, options),
  };
}

type TagClient = AnnouncingClient<typeof comparisonEndpoints>;

interface TagScope {
  readonly game: string;
  readonly build: string;
  /** Undefined for production. */
  readonly env: string | undefined;
}

/** The first `max` problems of a build, and the number of the others. */
async function readTags(context: Context, client: TagClient, scope: TagScope, max: number) {
  const { game, build, env } = scope;
  const compared = await client
    .compareBuilds({ game, a: build, b: build, env })
    .catch(explainMissing(client, game, [build]));
  const { environment, buildB } = compared;
  const { testersInBatch: testers, byTag } = buildB;
  const counted = byTag && rank(byTag.map(({ tag, testersWithTag }) => ({ tag, testers: testersWithTag })));
  const problems = readProblems(context, client, { game, build, env: environment });
  const { examples, counts } = await collect(problems, counted?.slice(0, max));
  const ranked = counted ?? rank(counts);
  const items = ranked
    .slice(0, max)
    .map((count): TagGroup => ({ ...count, example: examples.get(count.tag) ?? null }));
  const found: BuildTags = { game: compared.game.slug, build, environment, testers, items };
  return { found, rest: ranked.length - items.length };
}

type TagCount = Omit<TagGroup, "example">;

const rank = (counts: readonly TagCount[]) =>
  counts.toSorted((x, y) => y.testers - x.testers || (x.tag < y.tag ? -1 : 1));

interface Problem extends insights.InsightItem {
  readonly tag: string;
  readonly tester: string;
}

/** Reads problems until each of the wanted tags has an example, or all of them to count their testers. */
async function collect(pages: AsyncIterable<readonly Problem[]>, wanted: readonly TagCount[] | undefined) {
  const examples = new Map<string, Problem>();
  const testers = new Map<string, Set<string>>();
  const isComplete = () => wanted?.every(({ tag }) => examples.has(tag)) ?? false;
  if (!isComplete()) {
    for await (const problems of pages) {
      for (const problem of problems) {
        const { tag, tester, confidence } = problem;
        testers.set(tag, (testers.get(tag) ?? new Set()).add(tester));
        if (confidence > (examples.get(tag)?.confidence ?? -1)) examples.set(tag, problem);
      }
      if (isComplete()) break;
    }
  }
  const counts = [...testers].map(([tag, own]): TagCount => ({ tag, testers: own.size }));
  const shown = [...examples].map(
    ([tag, { id, sessionId, title }]) => [tag, { id, sessionId, title }] as const,
  );
  return { counts, examples: new Map(shown) };
}

/** Yields the pages of problems of a build, newest first. `env` is an environment or `all`. */
async function* readProblems(
  context: Context,
  client: TagClient,
  { game, build, env }: TagScope,
): AsyncGenerator<Problem[]> {
  // Only the sessions of the API document have environments and testers.
  const testers = (await client.announces("listInsights?env"))
    ? null
    : await readTesters(context, client, { game, build, env });
  const query = { game, build, ...(testers === null ? { env } : {}) };
  const pages = readAll(context, (range) => client.listInsights({ ...query, ...range }));
  for await (const items of pages) {
    yield items
      .filter(({ type }) => (insights.frictionTypes as readonly string[]).includes(type))
      .flatMap((item) => {
        const tester = testers === null ? (item.deviceId ?? item.sessionId) : testers.get(item.sessionId);
        return tester === undefined ? [] : [{ ...item, tester, tag: item.tag ?? item.type }];
      });
  }
}

/** The testers of the sessions of a build, by session. */
async function readTesters(context: Context, client: TagClient, { game, build, env }: TagScope) {
  const testers = new Map<string, string>();
  const filter = { game, build, env: env === "all" ? undefined : env };
  for await (const items of readAll(context, (range) => client.listSessions({ ...filter, ...range })))
    for (const { id, deviceId, testerHandle } of items) testers.set(id, deviceId ?? testerHandle ?? id);
  return testers;
}

async function* readAll<T>(context: Context, fetchPage: FetchPage<T>): AsyncGenerator<readonly T[]> {
  const range = { offset: 0, items: Number.POSITIVE_INFINITY };
  for await (const { page } of paginateByOffset(fetchPage, range, context.pacer())) yield page.items;
}

interface TagGroup {
  readonly tag: string;
  /** Testers who had it. A session without a device counts as its own tester. */
  readonly testers: number;
  /** The insight with the strongest evidence among the newest; null if none was found. */
  readonly example: Pick<InsightItem, "id" | "sessionId" | "title"> | null;
}

/** The problems of a build, the one with the most testers first. */
interface BuildTags {
  readonly game: string;
  readonly build: string;
  readonly environment: string;
  readonly testers: number;
  readonly items: readonly TagGroup[];
}

const tagGroupColumns = defineColumns<TagGroup>({
  testers: { header: "TESTERS" },
  tag: { header: "TAG", shrink: 1, minWidth: TAG_WIDTH },
  "example.title": { header: "EXAMPLE", shrink: 2 },
  "example.sessionId": { header: "SESSION", wide: true },
  "example.id": { header: "ID", wide: true },
});

interface TagTable {
  /** The number of problems that are not shown. */
  readonly rest: number;
  readonly selection: SelectionFlags;
}

function tagsView(found: BuildTags, { rest, selection }: TagTable, options: RenderOptions): string {
  const { game, build, environment, testers, items } = found;
  const scope = `${game} ${build} · ${environment} · ${formatCount(testers, "tester")} · problems by testers affected`;
  const tag = quoteForShell(items[0]?.tag ?? "");
  const version = quoteForShell(build);
  const next = [
    ...(rest > 0 ? [`${formatCount(rest, "more tag")} (--all)`] : []),
    ...(tag === null
      ? []
      : [`one tag: ${repeatSelection(`playtest insights list --tag ${tag}`, selection)}`]),
    ...(version === null
      ? []
      : [`where testers quit: ${repeatSelection(`playtest builds dropoff ${version}`, selection)}`]),
  ];
  return [
    ...renderParagraph(cleanLine(scope), "", options, "strong"),
    "",
    renderTable(items, tagGroupColumns, options),
    ...next.flatMap((line) => renderParagraph(cleanLine(line), "", options, "muted")),
    "",
  ].join("\n");
}
