/** Each bad day of the page for operators has tests, and each alert on it exists. */
import { expect, test } from "vitest";
import { readPage } from "./page-files.ts";

const page = readPage("docs/host/bad-days.md");

/** The tests of each bad day: the file, and words of the title. */
const testsByDay: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  "The disk is full": [
    ["test/faults/server-disk.test.ts", "a full disk returns 503, and ingest resumes when there is space"],
  ],
  "The database file is damaged": [
    ["test/faults/server-damage.test.ts", "a file with a corrupt page"],
    ["test/cli/damaged-database.test.ts", "a server with a damaged database starts"],
    ["test/cli/backups.test.ts", "restores over a damaged database"],
  ],
  "The machine is lost": [
    [
      "test/cli/backups.test.ts",
      "comes back in a new file only if that is accepted, where the database is lost",
    ],
  ],
  "A management key has leaked": [
    ["test/cli/admin-keys.test.ts", "rotate creates a management key, and the previous one stops working"],
    ["test/cli/admin-keys.test.ts", "revoke deletes one key"],
  ],
  "An ingest key has leaked, and forged sessions arrive": [
    ["test/security/quarantine.test.ts", "removes what an attacker sent from one address, and only that"],
    ["test/security/budgets.test.ts", "an attacker with many addresses leaves half of a budget"],
  ],
  "Something was erased by mistake": [
    ["test/cli/backups.test.ts", "comes back in the database that is replaced if that is accepted"],
  ],
  "A clock is wrong": [
    ["test/cli/doctor.test.ts", "a terminal shows one line per check"],
    ["test/cli/wrong-clocks.test.ts", "keeps its times"],
    ["test/server/pruning/clock.test.ts", "removes nothing after the clock was set forward"],
    ["test/cli/backups.test.ts", "keeps the new backup when the clock was set back"],
    ["test/server/notifications/deliveries.test.ts", "after the clock was set back"],
  ],
  "Postgres fails over": [
    ["test/postgres/failover.test.ts", "refuses to serve from a standby"],
    ["test/postgres/failover.test.ts", "neither loses nor duplicates events"],
  ],
  "A webhook receiver was down for a day": [
    ["test/server/notifications/deliveries.test.ts", "is repeated later with the same id"],
    [
      "test/server/notifications/deliveries.test.ts",
      "is the last one after the maximum number of attempts, or a day",
    ],
    ["test/cli/admin-webhooks.test.ts", "doctor names the webhooks that fail"],
    ["test/cli/admin-webhook-changes.test.ts", "sends again what was delivered or dropped since a time"],
  ],
  "An upgrade went wrong": [
    ["test/server/db/upgrade.test.ts", "a failed migration changes nothing"],
    ["test/server/db/upgrade.test.ts", "an older program names the version that a database needs"],
    ["test/cli/backups.test.ts", "replaces a database that a newer version has upgraded"],
  ],
};

test("names its tests for each day", () => {
  const days = [...page.matchAll(/^## (.+)$/gm)].map(([, day]) => day);
  expect(days).toEqual(Object.keys(testsByDay));
});

test.each(Object.entries(testsByDay))("%s: its tests exist", (_day, tests) => {
  expect(tests.filter(([file, title]) => !readPage(file).includes(title))).toEqual([]);
});

test("names alerts that exist", () => {
  const alerts = readPage("deploy/prometheus/playtest-alerts.yaml");
  const named = [...page.matchAll(/`(Playtest\w+)`/g)].map(([, alert]) => alert);
  expect(named.filter((alert) => !alerts.includes(`- alert: ${alert}\n`))).toEqual([]);
  expect(named.length).toBeGreaterThan(7);
});
