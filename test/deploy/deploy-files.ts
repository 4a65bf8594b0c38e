/** Reads the files in deploy/. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, parse as parseYaml } from "yaml";

export const deployFolder = join(import.meta.dirname, "..", "..", "deploy");

export const readDeployFile = (path: string): string => readFileSync(join(deployFolder, path), "utf8");

/** Parses a YAML file. Merge keys (`<<`) are resolved, as Docker Compose does. */
export function readDeployYaml(path: string): unknown {
  return parseYaml(readDeployFile(path), { merge: true, strict: true, uniqueKeys: true });
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the types of Kubernetes are checked by the compiler in kubernetes.test.ts
  readonly spec: any;
}

/** The Kubernetes objects of all manifests, with the path of their file. */
export function readManifests(): { file: string; manifest: Manifest }[] {
  return readdirSync(join(deployFolder, "kubernetes"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readDeployFile(`kubernetes/${file}`)).map((document) => {
        const [problem] = [...document.errors, ...document.warnings];
        if (problem) throw problem;
        return { file, manifest: document.toJS() as Manifest };
      }),
    );
}

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
}

/** The alert rules for Prometheus. */
export function readAlertRules(): readonly AlertRule[] {
  const file = readDeployYaml("prometheus/playtest-alerts.yaml") as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
  };
  return file.groups.flatMap(({ rules }) => rules);
}
