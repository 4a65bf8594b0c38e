/** The Kubernetes manifests: what depends on the service, and the restricted Pod Security Standard. */
import { expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import { pageFiles } from "../../src/console/files.ts";
import { endpoints } from "../../src/contract/index.ts";
import { type Manifest, readManifests } from "./deploy-files.ts";

const manifests = readManifests();

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
