/**
 * The Kubernetes manifests: the compiler checks every field against the types of the Kubernetes API, and these tests
 * check what depends on the service.
 */
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import { pageFiles } from "../../src/console/files.ts";
import { endpoints } from "../../src/contract/index.ts";
import { type Manifest, readManifests } from "./deploy-files.ts";

const root = join(import.meta.dirname, "..", "..");
const manifests = readManifests();

/** The module of kubernetes-types that contains a kind. */
const modules: Readonly<Record<string, string>> = { v1: "core/v1" };
const moduleOf = (apiVersion: string) =>
  `kubernetes-types/${modules[apiVersion] ?? apiVersion.replace(".k8s.io", "")}`;

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ["lib.es2023.d.ts"],
};
const host = ts.createCompilerHost(compilerOptions);
/** The parsed types, which all manifests share. */
const sourceFiles = new Map<string, ts.SourceFile | undefined>();

/** Returns the errors of a manifest as a literal of its type, so that unknown and missing fields are errors. */
function findTypeErrors({ apiVersion, kind }: Manifest, manifest: object): string[] {
  const file = join(root, "test", "deploy", "manifest.generated.ts");
  const source = `import type { ${kind} } from "${moduleOf(apiVersion)}";\nexport const manifest: ${kind} = ${JSON.stringify(manifest, null, 1)};\n`;
  const virtualHost: ts.CompilerHost = {
    ...host,
    fileExists: (path) => path === file || host.fileExists(path),
    getSourceFile(path, ...rest) {
      if (path === file) return ts.createSourceFile(path, source, ts.ScriptTarget.ES2023);
      if (!sourceFiles.has(path)) sourceFiles.set(path, host.getSourceFile(path, ...rest));
      return sourceFiles.get(path);
    },
  };
  const program = ts.createProgram([file], compilerOptions, virtualHost);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

test.each(manifests.map(({ file, manifest }) => [file, manifest.kind, manifest] as const))(
  "%s: the fields of the %s exist in Kubernetes",
  (_file, _kind, manifest) => {
    expect(findTypeErrors(manifest, manifest)).toEqual([]);
  },
);

test.each<[string, object]>([
  ["an unknown field", { spec: { podSelector: {}, policyType: ["Ingress"] } }],
  ["a field of another type", { spec: { podSelector: {}, policyTypes: "Ingress" } }],
  ["a missing field", { spec: { policyTypes: ["Ingress"] } }],
])("the check of fields finds %s", (_problem, other) => {
  const policy = manifests.find(({ manifest }) => manifest.kind === "NetworkPolicy")?.manifest;
  if (!policy) throw new Error("There is no NetworkPolicy");
  expect(findTypeErrors(policy, { ...policy, ...other })).toHaveLength(1);
});

/** The pods of all manifests: of deployments, of jobs, and single ones. */
const pods = manifests.flatMap(({ file, manifest: { kind, spec, metadata } }) => {
  if (kind === "Pod") return [{ file, metadata, pod: spec }];
  const template =
    kind === "Deployment" ? spec.template : kind === "CronJob" ? spec.jobTemplate.spec.template : null;
  return template ? [{ file, metadata: template.metadata, pod: template.spec }] : [];
});

test.each(pods)("$file: the pod passes the restricted Pod Security Standard", ({ pod }) => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC).toBeUndefined();
  const kinds = pod.volumes.flatMap((volume: object) => Object.keys(volume).filter((key) => key !== "name"));
  for (const kind of kinds) expect(["emptyDir", "persistentVolumeClaim"]).toContain(kind);
  for (const container of pod.containers)
    expect(container).toMatchObject({
      resources: { requests: expect.anything(), limits: { memory: expect.any(String) } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
    });
});

test.each(pods)("$file: the pod mounts its volumes, and reads the password from the secret", ({ pod }) => {
  const [container] = pod.containers;
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort();
  expect(names(container.volumeMounts)).toEqual(names(pod.volumes));
  const claims = manifests.filter(({ manifest }) => manifest.kind === "PersistentVolumeClaim");
  for (const { persistentVolumeClaim } of pod.volumes)
    if (persistentVolumeClaim)
      expect(claims.map(({ manifest }) => manifest.metadata.name)).toContain(persistentVolumeClaim.claimName);
  expect(container.env).toContainEqual({
    name: "PGPASSWORD",
    valueFrom: { secretKeyRef: { name: "playtest-database", key: "password" } },
  });
});

function findOne(kind: string): Manifest {
  const found = manifests.filter(({ manifest }) => manifest.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]?.manifest as Manifest;
}

test("the deployment is probed at the health endpoints and has time to drain", () => {
  const { spec } = findOne("Deployment");
  const { terminationGracePeriodSeconds, containers } = spec.template.spec;
  const [{ startupProbe, readinessProbe, livenessProbe, args }] = containers;
  expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
    "/healthz",
    "/readyz",
    "/healthz",
  ]);
  const [, drainMs] = /--drain-delay=(\d+)/.exec(args.join(" ")) ?? [];
  const noticeMs = readinessProbe.periodSeconds * readinessProbe.failureThreshold * 1000;
  expect(Number(drainMs)).toBeGreaterThan(noticeMs);
  expect(terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(Number(drainMs) + 15_000);
});

test("selectors match the labels of the server pods only", () => {
  const { spec } = findOne("Deployment");
  const { labels } = spec.template.metadata;
  const selectors = [
    spec.selector.matchLabels,
    findOne("Service").spec.selector,
    findOne("PodDisruptionBudget").spec.selector.matchLabels,
    spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  ];
  for (const selector of selectors) expect(selector).toEqual(labels);
  for (const { metadata } of pods.filter(({ file }) => file !== "playtest.yaml"))
    expect(metadata.labels["app.kubernetes.io/component"]).not.toBe(labels["app.kubernetes.io/component"]);
});

interface IngressPath {
  readonly path: string;
  readonly pathType: "Prefix" | "Exact";
}

test("the ingress publishes every endpoint of the API and every page of the console, and not /metrics", () => {
  const paths: readonly IngressPath[] = findOne("Ingress").spec.rules[0].http.paths;
  const isPublic = (path: string) =>
    paths.some((one) =>
      one.pathType === "Exact" ? path === one.path : path === one.path || path.startsWith(`${one.path}/`),
    );
  const apiPaths = Object.values(endpoints).map(({ path }) => path);
  expect(apiPaths.length).toBeGreaterThan(30);
  expect(apiPaths.filter((path) => !isPublic(path))).toEqual([]);
  for (const path of ["/mcp", "/openapi.json", "/healthz", "/readyz"]) expect(isPublic(path)).toBe(true);
  const pages = [...allPages.map(({ path }) => path), ...Object.values(pageFiles), "/sign-in", "/sign-out"];
  expect(pages.filter((path) => !isPublic(path))).toEqual([]);
  for (const path of ["/metrics", "/metrics/", "/other"]) expect(isPublic(path)).toBe(false);
});
