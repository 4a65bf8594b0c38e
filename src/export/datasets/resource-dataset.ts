/** The dataset of a list, from its definition in the contract. */
import * as z from "zod";
import { ClientError } from "../../client/errors.ts";
import type { Page } from "../../contract/define.ts";
import { marks, UNIX_MS } from "../../contract/fields.ts";
import type { DatasetColumn, Resource, Row } from "../../contract/resource.ts";
import type { ColumnType, ExportColumn } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { type Dataset, defineDataset, snapshot, toEnvironmentFilters } from "./dataset.ts";
import { createCounter, createExtentReader, estimateListRequests } from "./list-extent.ts";
import { type ListQuery, type ListSource, readListParts } from "./lists.ts";

/** A row of a dataset: the item of the list, and its part if each part becomes a row. */
interface ResourceRow {
  readonly game: string;
  readonly item: Row;
  readonly part: Row;
}

/** What only one list has. */
interface DatasetHooks {
  /** Reads the list (default: from its endpoint). */
  readonly source?: ListSource<ListedItem>;
  readonly partitionTime?: NonNullable<Dataset<unknown>["partitionTime"]>;
}

/** The row of an item that has no parts. `game` is the slug of the game. */
export const toResourceRow = (game: string, item: Row): ResourceRow => ({ game, item, part: item });

export function createListDataset(resource: Resource, hooks: DatasetHooks = {}): Dataset<unknown> {
  const { name, dataset, list, filters } = resource;
  if (!dataset) throw new TypeError(`The list ${name} has no dataset`);
  const { summary, help, time, itemName = name, rows } = dataset;
  const { hasEnvironments = "env" in filters } = dataset;
  const toRows = (game: string, item: Row): ResourceRow[] =>
    rows === undefined
      ? [toResourceRow(game, item)]
      : (item[rows] as readonly Row[]).map((part) => ({ game, item, part }));
  const columns = dataset.columns.map((column) => toExportColumn(resource, column));
  const common = { name, help, columns, hasEnvironments };
  if (time === undefined)
    return defineDataset<ResourceRow>({
      ...common,
      ...{ summary, extent: null, counter: null, requests: () => 1 },
      parts: snapshot(async function* (reader, { game }) {
        const data = await reader.send(() => reader.call(list, { game: game.id }));
        const items = (data as Row)[resource.items ?? "items"] as readonly Row[];
        yield items.flatMap((item) => toRows(game.slug, item));
      }),
    });
  const source = hooks.source ?? createSource(resource);
  return defineDataset<ResourceRow>({
    ...common,
    summary: `${summary}. Files are partitioned by ${time} and sorted newest first`,
    partitionTime: hooks.partitionTime ?? (async () => time),
    extent: createExtentReader(source),
    counter: createCounter(source, itemName, { hasEnvironments }),
    requests: estimateListRequests,
    parts: (reader, scope) =>
      readListParts(
        reader,
        scope,
        source,
        hasEnvironments ? toEnvironmentFilters(scope) : [undefined],
        (item, env) => toRows(scope.game.slug, { ...item, environment: item.environment ?? env }),
      ),
  });
}

export type ListedItem = Row & { readonly id: string };

/** The list of a resource with a time. */
function createSource({ name, id = "id", list, dataset }: Resource): ListSource<ListedItem> {
  const { allEnvironments, time = "" } = dataset ?? {};
  return {
    name,
    async fetch(reader: ExportReader, { env = allEnvironments, ...query }: ListQuery) {
      try {
        const page = (await reader.call(list, { ...query, ...(env && { env }) })) as Page<Row>;
        return { ...page, items: page.items.map((item) => ({ ...item, id: String(item[id]) })) };
      } catch (error) {
        // Not every game has sessions in an environment. The other datasets are empty then.
        const isUnknown =
          error instanceof ClientError && error.code === "not_found" && env !== allEnvironments;
        if (isUnknown && allEnvironments) return { items: [], hasMore: false, total: 0 };
        throw error;
      }
    },
    getTime: (item) => Number(item[time]),
  };
}

function toExportColumn(
  { item, dataset }: Resource,
  column: string | DatasetColumn<Row, Row>,
): ExportColumn<ResourceRow> {
  const { name, ...given } = typeof column === "string" ? { name: column } : column;
  if (name === "game")
    return { name, type: "string", unit: null, describe: "Slug of the game", value: ({ game }) => game };
  const parts = dataset?.rows === undefined ? undefined : findField(item, dataset.rows);
  const partField = parts instanceof z.ZodArray ? findField(parts.element as z.ZodType, name) : undefined;
  const field = partField ?? findField(item, name);
  const source: "part" | "item" = partField ? "part" : "item";
  const { value = (fields: Row) => fields[name] } = given;
  return {
    name,
    type: given.type ?? readType(field),
    unit: given.unit ?? readUnit(field),
    describe: given.describe ?? readDescription(field) ?? name,
    value: (row) => value(row[source], row.part) ?? null,
  };
}

/** The schema of a field of an object; undefined without one. */
function findField(schema: z.ZodType, name: string): z.ZodType | undefined {
  return schema instanceof z.ZodObject ? (schema.shape[name] as z.ZodType | undefined) : undefined;
}

/** The schema and those inside of it, which are optional or nullable. */
function* unwrap(schema: z.ZodType | undefined): Generator<z.ZodType> {
  for (let inner = schema; inner; ) {
    yield inner;
    if (!(inner instanceof z.ZodOptional || inner instanceof z.ZodNullable)) return;
    inner = inner.unwrap() as z.ZodType;
  }
}

const readDescription = (schema: z.ZodType | undefined): string | undefined =>
  [...unwrap(schema)]
    .map(({ description }) => description)
    .find((text) => text !== undefined)
    ?.replace(/, unix ms$/, "");

const readUnit = (schema: z.ZodType | undefined): string | null =>
  [...unwrap(schema)].map((inner) => marks.get(inner)?.unit).find((unit) => unit !== undefined) ?? null;

function readType(schema: z.ZodType | undefined): ColumnType {
  if (readUnit(schema) === UNIX_MS) return "timestamp";
  const inner = [...unwrap(schema)].at(-1);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return "string";
  if (inner instanceof z.ZodNumber) return inner.isInt ? "int64" : "double";
  return "json";
}
