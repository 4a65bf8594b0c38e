/** Types of endpoints, clients, handlers, flags and tables: `npm run typecheck` is what fails here. */
import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { command, createTable, type Table } from "../../src/cli/command.ts";
import { choice, type FlagValues, integer, list, text, toggle } from "../../src/cli/flags.ts";
import type { Client } from "../../src/client/client.ts";
import type * as builds from "../../src/contract/builds.ts";
import {
  defineRead,
  defineWrite,
  type EndpointsIn,
  type Input,
  type Output,
} from "../../src/contract/define.ts";
import type { listGames } from "../../src/contract/games.ts";
import type { getHeatmap, Heatmap } from "../../src/contract/heatmaps.ts";
import type { EndpointName } from "../../src/contract/index.ts";
import type { Session } from "../../src/contract/sessions.ts";
import type { sendTelemetry } from "../../src/contract/telemetry.ts";
import type { Handler } from "../../src/server/accounts/handler.ts";

const getProbe = defineRead({
  name: "getProbe",
  tool: null,
  path: "/api/v1/probes/{id}",
  summary: "A probe",
  tag: "games",
  params: z.object({ id: z.string() }),
  query: z.object({ env: z.string().optional() }),
  extensions: { room: z.string().optional() },
  response: z.object({ count: z.number() }),
});

describe("Input", () => {
  test("combines path, query and extension parameters", () => {
    type Probe = Input<typeof getProbe>;
    expectTypeOf<keyof Probe>().toEqualTypeOf<"id" | "env" | "room">();
    expectTypeOf<Probe["id"]>().toEqualTypeOf<string>();
    expectTypeOf<Probe["room"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<{ id: string }>().toExtend<Probe>();
    expectTypeOf<{ env: string }>().not.toExtend<Probe>();
    expectTypeOf<Input<typeof getHeatmap>["game"]>().toEqualTypeOf<string>();
    expectTypeOf<Input<typeof getHeatmap>["room"]>().toEqualTypeOf<string | undefined>();
  });

  test("has a body if the endpoint has one", () => {
    expectTypeOf<Input<typeof sendTelemetry>>().toHaveProperty("body");
    expectTypeOf<Input<typeof getProbe>>().not.toHaveProperty("body");
  });

  test("is optional for an endpoint without parameters", () => {
    expectTypeOf<object>().toExtend<Input<typeof listGames>>();
  });
});

describe("Output", () => {
  test("matches the schema, with `applied` if there are extensions", () => {
    expectTypeOf<Output<typeof getProbe>>().toEqualTypeOf<{
      count: number;
      applied?: { room?: string | undefined } | undefined;
    }>();
    expectTypeOf<Output<typeof getHeatmap>>().toEqualTypeOf<Heatmap>();
    expectTypeOf<Output<typeof listGames>>().not.toHaveProperty("applied");
  });

  test("of an open enum allows known values and any text", () => {
    expectTypeOf<"analyzed">().toExtend<Session["status"]>();
    expectTypeOf<string>().toExtend<Session["status"]>();
    expectTypeOf<number>().not.toExtend<Session["status"]>();
  });
});

describe("names", () => {
  test("may only contain existing parameters", () => {
    const wrong = { name: "x", tool: null, path: "/api/v1/x", summary: "", tag: "games" } as const;
    defineRead({
      ...wrong,
      params: z.object({ game: z.string() }),
      // @ts-expect-error There is no parameter `tester`.
      names: { tester: "device" },
      response: z.object({}),
    });
    const post = {
      ...wrong,
      keys: ["ingest"],
      maxBody: 1,
      status: 200,
      idempotent: true,
      errors: [],
    } as const;
    defineWrite({
      ...post,
      // @ts-expect-error There is no field `tester`.
      names: { tester: "device" },
      body: z.object({ game: z.string() }),
      response: z.object({}),
    });
  });
});

describe("Client", () => {
  type Builds = Client<typeof builds>;

  test("has a method for each endpoint of a module, but not for its other exports", () => {
    expectTypeOf<keyof Builds>().toEqualTypeOf<"getBuild" | "compareBuilds">();
    expectTypeOf<keyof EndpointsIn<typeof builds>>().toEqualTypeOf<"getBuild" | "compareBuilds">();
    expectTypeOf<Builds["getBuild"]>().parameter(0).toExtend<{ game: string; version: string }>();
    expectTypeOf<Awaited<ReturnType<Builds["compareBuilds"]>>>().toEqualTypeOf<builds.BuildComparison>();
  });

  test("requires no argument if the endpoint has no required input", () => {
    expectTypeOf<Client<{ listGames: typeof listGames }>["listGames"]>().toBeCallableWith();
    // @ts-expect-error The heatmap needs a game.
    expectTypeOf<Client<{ getHeatmap: typeof getHeatmap }>["getHeatmap"]>().toBeCallableWith({});
  });

  test("finds endpoints by name", () => {
    expectTypeOf<"getHeatmap">().toExtend<EndpointName>();
    expectTypeOf<"getNothing">().not.toExtend<EndpointName>();
  });
});

test("a handler accepts the input and returns the output of its endpoint", () => {
  expectTypeOf<Handler<typeof getProbe>>().parameter(0).toEqualTypeOf<Input<typeof getProbe>>();
  expectTypeOf<Output<typeof getProbe>>().toExtend<Awaited<ReturnType<Handler<typeof getProbe>>>>();
});

describe("flags", () => {
  const flags = {
    env: text("--env <slug>", ""),
    top: integer("--top <n>", "", 1, 5),
    all: toggle("--all", ""),
    kind: choice("--kind <kind>", "", ["a", "b"]),
    many: list("--many <text>", ""),
  };

  test("are parsed into their types", () => {
    expectTypeOf<FlagValues<typeof flags>>().toEqualTypeOf<{
      readonly env: string | undefined;
      readonly top: number | undefined;
      readonly all: boolean;
      readonly kind: "a" | "b" | undefined;
      readonly many: string[];
    }>();
  });

  test("reach the command with these types", () => {
    command({
      path: "probe",
      summary: "",
      args: [],
      flags,
      examples: [],
      async run(_context, given) {
        expectTypeOf(given.flags).toEqualTypeOf<FlagValues<typeof flags>>();
        return { data: null };
      },
    });
  });
});

test("the columns of a table must be fields of its rows", () => {
  const rows = [{ name: "x" }];
  const table = createTable(rows, [{ key: "name", header: "NAME", value: ({ name }) => name }], "None.");
  expectTypeOf(table).toEqualTypeOf<Table>();
  // @ts-expect-error The rows have no `count`.
  createTable(rows, [{ key: "count", header: "COUNT", value: ({ count }) => count }], "None.");
});
