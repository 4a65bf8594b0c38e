/** Tests of the columns that lists leave out at a terminal because all rows have the same value. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;

/** Sends one session of each of two devices. */
async function play(game: string, environments: readonly string[]): Promise<void> {
  await service.addGame(game);
  for (const [at, environment] of environments.entries()) {
    const startedAt = service.clock.now;
    const { status } = await service.post("/api/telemetry", {
      gameId: game,
      deviceId: `dev_${at}`,
      clientSessionId: `${game}-${at}`,
      environment,
      startedAt,
      sessionMetadata: { gameVersion: "1.2.0", platform: "pc" },
      events: [{ id: "1", name: "jump", timestamp: startedAt }],
    });
    expect(status).toBe(202);
  }
}

beforeAll(async () => {
  service = await startTestService();
  await play("same", ["production", "production"]);
  await play("mixed", ["production", "staging"]);
  await play("single", ["production"]);
});
afterAll(() => service.stop());

const run = (line: string, more: object = {}) =>
  runCli(line.split(" "), { service, tty: true, columns: 60, ...more });

test("a note names the values, and no line of it is wider than the terminal", async () => {
  const { out, err } = await run("sessions list --game same");
  expect(err.split("\n").every((line) => line.length <= 60)).toBe(true);
  expect(err.replaceAll("\n", " ")).toContain(
    "All rows: build 1.2.0, env production, status pending, tester unknown. Use --wide to show all columns.",
  );
  expect(out.match(/^[A-Z]+(?= )/gm)?.slice(0, 3)).toEqual(["ID", "RECORDED", "TITLE"]);
});

test("columns whose values differ are shown", async () => {
  const { out, err } = await run("sessions list --game mixed", { columns: 100 });
  expect(out).toMatch(/^ID +ENV +LENGTH +RECORDED +TITLE/);
  expect(out).toContain("staging");
  expect(err).not.toContain("environment");
});

test.each([
  ["testers list --game same", /^TESTER +SESSIONS/, "builds 1.2.0"],
  ["builds list --game single --wide", /ENVIRONMENTS/, null],
  ["sessions list --game single", /^(?:ID +BUILD|ID +sess_)/, null],
  ["sessions list --game same --wide", /ENV/, null],
])("%s", async (line, header, note) => {
  const { out, err } = await run(line);
  expect(out).toMatch(header);
  if (note === null) expect(err).not.toContain("All rows");
  else expect(err).toContain(note);
});

test("files and pipes contain all columns", async () => {
  expect((await run("sessions list --game same", { tty: false })).out).toMatch(/ENV/);
  expect((await run("sessions list --game same --format csv")).out).toMatch(/"environment"/);
});
