/** Titles of tags: with the question of a form field if the service reports it, and without it on other services. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { createAppTransport, freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";
import { env } from "./hostile-responses.ts";

const QUESTION = "Confusion reported in answers to “Anything else?”";
const FIELD = "Confusion reported in answers (form field: more)";
const TAG = "confusion:feedback-more";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

/** The service, with changed JSON in its responses. */
const withResponses =
  (change: (json: string) => string): Transport =>
  async (request) => {
    const response = await createAppTransport(service.app)(request);
    return { ...response, body: change(String(response.body)) };
  };

/** The title of a tag in a comparison or a journey; the titles of insights remain. */
const TITLE = /,"title":"[^"]*"(?=,"(deltaPct|count)":)/g;

/** Responses of a service that does not report titles of tags. */
const withoutTitles = withResponses((json) => json.replaceAll(TITLE, ""));

const run = (line: string, transport?: Transport, cwd = freshFolder()) =>
  runCli([...line.split(" "), "-g", "ember"], { service, cwd, ...(transport && { transport }) });

const commands = [
  "builds compare 0.8.0 0.9.0",
  "builds compare 0.8.0 0.9.0 --fail-on got_larger",
  "gate 0.8.0 0.9.0 --report md",
  "gate 0.8.0 0.9.0 --report github",
  "report 0.8.0 0.9.0 --format md",
  "report 0.8.0 0.9.0 --format html",
  "testers journey theo-lag",
];

describe.each(commands)("%s", (line) => {
  test("shows the question that the testers answered", async () => {
    const { out, err } = await run(line);
    expect(out + err).toContain(QUESTION);
    expect(out + err).not.toContain(FIELD);
  });

  test("shows the id of the form field if the service reports no titles", async () => {
    const { out, err } = await run(line, withoutTitles);
    expect((out + err).replaceAll("\\_", "_").replaceAll("%3A", ":")).toContain(FIELD);
    expect(out + err).not.toContain(QUESTION);
  });
});

describe("the gate", () => {
  test("reports the title with the tag in JSON", async () => {
    const { checks } = JSON.parse((await run("gate 0.8.0 0.9.0 --json")).out);
    expect(checks).toContainEqual(expect.objectContaining({ id: TAG, title: QUESTION }));
  });

  test("names JUnit cases by the tag alone, and adds the question to their text", async () => {
    const name = `name="${TAG}"`;
    const { out } = await run("gate 0.8.0 0.9.0 --report junit");
    expect(out).toContain(name);
    expect(out).toContain(`title: ${QUESTION}`);
    const other = await run("gate 0.8.0 0.9.0 --report junit", withoutTitles);
    expect(other.out).toContain(name);
    expect(other.out).toContain(`title: ${FIELD}`);
  });

  test("shows the question when it compares with a saved baseline", async () => {
    const cwd = freshFolder();
    await run("gate save 0.8.0 --out base.json", undefined, cwd);
    const { out } = await run("gate @base.json 0.9.0 --report md", undefined, cwd);
    expect(out).toContain(`| ${QUESTION} | ${TAG} |`);
  });
});

test("archetypes show the titles of the service, and their own words for tags without one", async () => {
  const body = responseBodies.getTesterArchetypes as { archetypes: object[] };
  const show = async (commonFrictionTitles: readonly string[] | null) => {
    const archetypes = body.archetypes.map((group) => {
      return { ...group, commonFrictionTags: [TAG, "bug-report:crash"], commonFrictionTitles };
    });
    const { transport } = script({ body: { ...body, archetypes } });
    const { out } = await runCli(["testers", "archetypes", "--wide"], {
      env,
      transport,
      tty: true,
      columns: 200,
    });
    return /Common friction: .*/.exec(out)?.[0];
  };
  expect(await show([QUESTION])).toBe(`Common friction: ${QUESTION} (${TAG}), Crashes (bug-report:crash)`);
  expect(await show(null)).toBe(`Common friction: ${FIELD} (${TAG}), Crashes (bug-report:crash)`);
});

test.each(commands)(
  "%s shows a title with line breaks and thousands of characters as one short line",
  async (line) => {
    const title = `,"title":"Line\\r\\nbreak ${"x".repeat(9000)}"`;
    const { out, err } = await run(
      line,
      withResponses((json) => json.replaceAll(TITLE, title)),
    );
    const shown = out + err;
    expect(/Line break[\s│]+xxx/.test(shown)).toBe(true);
    expect(shown.includes("x".repeat(300))).toBe(false);
  },
);
