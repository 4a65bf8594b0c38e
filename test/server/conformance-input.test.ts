/** All parameters of all endpoints: limits, repeated values, encodings and integers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Endpoint } from "../../src/contract/define.ts";
import { type Answer, startTestService, type TestService } from "../harness.ts";
import {
  call,
  eachEndpoint,
  makeWorld,
  samples,
  urlOf,
  type World,
  withoutExcluded,
} from "./sample-requests.ts";

let service: TestService;
let world: World;

beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "own");
});

afterAll(() => service.stop());

const UNSAFE = ["%00", "a%00b", "%", "%zz", "%E0%A4", "%C0%AF", "%ED%A0%80", "%FF"];
const NOT_INTEGERS = [
  "1e3",
  "%205",
  "5%20",
  "+5",
  "%2B5",
  "5.0",
  "5.",
  "0x10",
  "%D9%A3",
  "%EF%BC%95",
  "five",
  "--5",
  "-",
  "1_000",
  "1,000",
  "NaN",
  "Infinity",
  "null",
  "true",
  "5n",
];
const HUGE = "9".repeat(40);

interface Values {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** Values at and beyond the limits of a schema, percent-encoded. */
function valuesOf(field: unknown): Values {
  if (field instanceof z.ZodOptional) return valuesOf(field.unwrap());
  if (field instanceof z.ZodEnum) {
    const options = field.options.map(String);
    return { good: options, bad: ["other", (options[0] ?? "").toUpperCase(), `${options[0]}%20`, ...UNSAFE] };
  }
  if (field instanceof z.ZodNumber) {
    const least = field.minValue ?? 0;
    return {
      good: [String(least), `0${least}`, `000${least + 5}`, HUGE],
      bad: [String(least - 1), `-${HUGE}`, ...NOT_INTEGERS, ...UNSAFE],
    };
  }
  if (field instanceof z.ZodString) {
    const { minLength, maxLength } = field;
    const slug = !field.safeParse("É").success;
    const takesAll = field.safeParse("all").success;
    return {
      good: [
        "x".repeat(minLength ?? 1),
        "x".repeat(maxLength ?? 1),
        ...(slug ? [...(takesAll ? ["all"] : []), "a-z_0-9", "-"] : ["%C3%89", "a+b", "a%2Fb", "__proto__"]),
      ],
      bad: [
        "x".repeat((maxLength ?? 0) + 1),
        ...UNSAFE,
        ...(slug ? ["UPPER", "a%20b", "a.b", "%C3%89", "a%0A", ...(takesAll ? [] : ["all"])] : []),
      ],
    };
  }
  throw new Error("No values are known for this kind of field");
}

const issuesOf = (answer: Answer) =>
  answer.json.issues as { path: unknown[]; code: unknown; message: unknown }[];

/** Throws unless the response is a 400 with exactly one issue for each of these fields. */
function expectIssues(answer: Answer, fields: readonly string[], what: string): void {
  expect([what, answer.status]).toEqual([what, 400]);
  expect([
    what,
    issuesOf(answer)
      .map(({ path }) => path.join("."))
      .sort(),
  ]).toEqual([what, [...fields].sort()]);
  for (const issue of issuesOf(answer)) {
    expect(Object.keys(issue).sort()).toEqual(["code", "message", "path"]);
    expect(issue.code).toMatch(/^[a-z_]+$/);
    expect(issue.message).toMatch(/\S/);
  }
  expect(Object.keys(answer.json).sort()).toEqual(["error", "issues"]);
  expect(answer.json.error).toMatch(/\S/);
}

const reads = eachEndpoint("management");
const queries = reads.flatMap(([name, endpoint]) =>
  Object.keys(endpoint.query.shape).map((field) => [name, field, endpoint] as const),
);
const paths = eachEndpoint().flatMap(([name, endpoint]) =>
  Object.keys(endpoint.params.shape).map((field) => [name, field, endpoint] as const),
);

/** The documented limits of the API, which the schemas must match. */
const promised: Record<string, readonly [least: number, most: number | null]> = {
  "listSessions game": [1, 120],
  "listSessions build": [1, 120],
  "listSessions env": [1, 64],
  "listSessions q": [1, 200],
  "listSessions from": [0, null],
  "listSessions to": [0, null],
  "listSessions limit": [1, null],
  "listSessions offset": [0, null],
  "listInsights game": [1, 120],
  "listInsights build": [1, 120],
  "listInsights from": [0, null],
  "listInsights to": [0, null],
  "listInsights limit": [1, null],
  "listInsights offset": [0, null],
  "compareBuilds a": [1, 200],
  "compareBuilds b": [1, 200],
  "getEvents build": [1, 120],
  "getEvents from": [0, null],
  "getEvents to": [0, null],
};

it.each(Object.entries(promised))("%s has the documented limits", (key, [least, most]) => {
  const [, , endpoint] = queries.find(([name, field]) => `${name} ${field}` === key) ?? [];
  let field: unknown = endpoint?.query.shape[key.split(" ")[1] ?? ""];
  if (field instanceof z.ZodOptional) field = field.unwrap();
  if (field instanceof z.ZodString) expect([field.minLength, field.maxLength]).toEqual([least, most]);
  else expect(field instanceof z.ZodNumber && field.minValue).toBe(least);
});

/** Values that only the service can make up, such as cursors and the beginnings of ids, and lists in a form. Other texts are refused. */
const opaqueFields = [
  "listSessionEvents cursor",
  "listSessionEvents around",
  "listRawEvents cursor",
  "tailTelemetry after",
  "findIds prefix",
  "listChanges since",
  "getExperimentComparison crashMargin",
  "getScorecard level",
  "getScorecard families",
  "getScorecard limits",
  "getScorecard newRoomMax",
];

describe.each(queries)("%s: query %s", (name, field, endpoint: Endpoint) => {
  const { good, bad } = valuesOf(endpoint.query.shape[field]);
  const ask = (...pairs: string[]) => {
    const { query, ...sample } = samples[name](world);
    const others = Object.entries(withoutExcluded(query, endpoint, field)).filter(([key]) => key !== field);
    return call(service, endpoint, { ...sample, query: Object.fromEntries(others) }, { extra: pairs });
  };

  it("accepts values within its limits", async () => {
    for (const value of good) {
      const answer = await ask(`${field}=${value}`);
      const isOpaque = opaqueFields.includes(`${name} ${field}`);
      expect([value, [200, 404, ...(isOpaque ? [400] : [])].includes(answer.status)]).toEqual([value, true]);
    }
  });

  it("rejects other values and names the field", async () => {
    for (const value of bad) expectIssues(await ask(`${field}=${value}`), [field], value);
  });

  it("rejects repeated and empty values", async () => {
    const [value = ""] = good;
    expectIssues(await ask(`${field}=${value}`, `${field}=${value}`), [field], "twice");
    expectIssues(await ask(`${field}=${value}`, `${field}=`, `${field}=${value}`), [field], "three times");
    expectIssues(await ask(`${field}=`), [field], "empty");
    expectIssues(await ask(field), [field], "bare");
    const encoded = `%${field.charCodeAt(0).toString(16)}${field.slice(1)}`;
    expectIssues(await ask(`${field}=${value}`, `${encoded}=${value}`), [field], "twice, encoded");
  });

  const required = samples[name]({ slug: "s", version: "a", later: "b" } as World).query[field] !== undefined;
  const itOfRequired = required ? it : () => {};
  itOfRequired("is required", async () => {
    const answer = await ask();
    expectIssues(answer, [field], "absent");
    expect(answer.json.error).toBe(`${field} is required`);
  });
});

describe.each(paths)("%s: path parameter %s", (name, field, endpoint: Endpoint) => {
  const ask = (value: string) => {
    const sample = samples[name](world);
    const marked = { ...sample, params: { ...sample.params, [field]: "MARK" } };
    return service.get(urlOf(endpoint, marked).replace("MARK", value));
  };

  it("accepts 1 to 256 characters of any kind", async () => {
    for (const value of [
      "x",
      "x".repeat(256),
      "%C3%A9".repeat(256),
      "a%2Fb",
      "a%3Fb",
      "a%23b",
      "a%25b",
      "a+b",
      "%20",
      "__proto__",
      "*",
    ]) {
      const answer = await ask(value);
      expect([value, answer.text]).toEqual([value, '{"error":"Not found"}']);
    }
  });

  it("rejects values that are too long, malformed or contain NUL, and names the parameter", async () => {
    for (const value of ["x".repeat(257), ...UNSAFE]) expectIssues(await ask(value), [field], value);
  });
});

describe.each(reads)("%s: several issues", (name, endpoint) => {
  it("are reported at once, one issue per field", async () => {
    const sample = samples[name](world);
    const fields = Object.keys(endpoint.query.shape);
    const params = Object.keys(endpoint.params.shape);
    const badPath = urlOf(endpoint, {
      params: Object.fromEntries(params.map((one) => [one, "x".repeat(257)])),
      query: {},
    });
    const pairs = fields.map((field) => `${field}=${valuesOf(endpoint.query.shape[field]).bad.at(0)}`);
    if (params.length + fields.length === 0) return;
    expectIssues(await service.get(`${badPath}?${pairs.join("&")}`), [...params, ...fields], "all");
    const unsafe = fields.map((field) => `${field}=%00`);
    if (fields.length > 0)
      expectIssues(
        await service.get(`${urlOf(endpoint, { ...sample, query: {} })}?${unsafe.join("&")}`),
        fields,
        "NUL",
      );
  });
});

describe.each(["listSessions", "listInsights", "getEvents"] as const)("%s: from and to", (name) => {
  const [, endpoint] = reads.find(([one]) => one === name) ?? [];
  const ask = (search: string) => {
    if (!endpoint) throw new Error("No such endpoint");
    return call(service, endpoint, samples[name](world), { extra: [search] });
  };

  it("may be equal, but from must not be after to", async () => {
    expect((await ask("from=5&to=5")).status).toBe(200);
    expectIssues(await ask("from=6&to=5"), ["from", "to"], "wrong way round");
    expect((await ask(`from=${HUGE}&to=${HUGE}`)).status).toBe(200);
  });

  it("report their order together with other issues", async () => {
    expectIssues(await ask("from=6&to=5&build="), ["from", "to", "build"], "with another fault");
    expectIssues(await ask("from=6&to=x"), ["to"], "with no order");
    expectIssues(await ask("from=-1&to=-2"), ["from", "to"], "both out of bounds");
  });
});

describe.each(reads.filter(([, endpoint]) => endpoint.paged))("%s: pages", (name, endpoint) => {
  const ask = (search: string) => call(service, endpoint, samples[name](world), { extra: [search] });

  it("reads digits as decimal numbers, and treats a limit above 100 as 100", async () => {
    expect((await ask("limit=01")).json.items).toHaveLength(1);
    expect((await ask(`limit=${HUGE}`)).status).toBe(200);
    expect((await ask("limit=-0")).status).toBe(400);
    expect((await ask("offset=-0")).json).toEqual((await ask("offset=0")).json);
    const beyond = await ask(`offset=${HUGE}`);
    const { total } = (await ask("limit=1")).json;
    expect(beyond.json).toMatchObject({ items: [], hasMore: false, total });
  });
});

it("does not report any errors", () => {
  expect(service.faults).toEqual([]);
});
