/** gate --detach: opens a gate that the service decides later, so that no job waits for testers. */
import { checkInput } from "../../../client/client.ts";
import { ClientError } from "../../../client/errors.ts";
import type { Output } from "../../../contract/define.ts";
import * as gates from "../../../contract/gates.ts";
import type { GateRules } from "../../../gate/config.ts";
import { cleanLine } from "../../../render/text.ts";
import { isoTime } from "../../../render/time.ts";
import { isBuildWord } from "../../../shared/build-words.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { isCommit } from "../../../webhooks/commit-status.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

interface DetachedGate {
  /** The arguments of the command. */
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly to: string | undefined;
  readonly commit: string | undefined;
  readonly waitMs: number | undefined;
  readonly config: GateRules;
  /** The flags that only a gate that decides now has, with whether each is set. */
  readonly excluded: Readonly<Record<string, boolean>>;
}

/** Opens the gate. Throws `usage` for what the service cannot do later. */
export async function detachGate(context: Context, gate: DetachedGate): Promise<Result> {
  const { a = "previous", to, config } = gate;
  const b = requireArguments(gate);
  if (to === undefined) {
    throw fail("usage", {
      message: "--detach requires --to <receiver>, which the service sends the verdict to",
      hint: "Use the --name of a webhook that was added with `playtest admin webhooks add`.",
    });
  }
  if (gate.waitMs !== undefined && gate.waitMs > gates.MAX_GATE_WAIT_MS) {
    const most = `${gates.MAX_GATE_WAIT_MS / DAY_MS}d`;
    throw fail("usage", { message: `--wait with --detach is at most ${most}`, hint: `Use --wait ${most}.` });
  }
  const commit = findCommit(context.io, gate.commit);
  const client = await context.client(gates, { key: "ci" });
  const { env, ...rules } = config;
  const body = {
    ...{ gameId: (await context.findGame())?.value, a, b, to, rules },
    ...(env === undefined ? {} : { env }),
    ...(commit === undefined ? {} : { commit }),
    ...(gate.waitMs === undefined ? {} : { waitMs: gate.waitMs }),
  };
  checkInput(gates.openGate, { body });
  const data = await client.openGate({ body }).catch((error: unknown) => {
    throw explainCommit(error, to);
  });
  return { data, view: (options) => `${cleanLine(describeOpened(data, options.tz))}\n` };
}

/** The build to judge. Throws `usage` for arguments and flags that do not fit. */
function requireArguments({ a, b, excluded }: DetachedGate): string {
  const [flag] = Object.entries(excluded).find(([, isSet]) => isSet) ?? [];
  if (flag !== undefined) {
    throw fail("usage", {
      message: `${flag} cannot be used with --detach, which decides nothing yet`,
      hint: `Remove ${flag}. The service sends the verdict to the receiver of --to.`,
    });
  }
  if (a?.startsWith("@")) {
    throw fail("usage", {
      message: `The baseline ${a} cannot be used with --detach, because the service does not have the file`,
      hint: "Use a build as the baseline.",
    });
  }
  if (b !== undefined && b !== "" && !isBuildWord(b)) return b;
  throw fail("usage", {
    message:
      "--detach requires the version of the build: another one may be the latest when the gate is decided",
    hint: "Specify both builds: `playtest gate previous 0.9.0 --detach --to github`.",
  });
}

/** Names the flag of a missing commit. Returns any other error unchanged. */
function explainCommit(error: unknown, to: string): unknown {
  if (!(error instanceof ClientError) || error.extra.reason !== gates.COMMIT_REQUIRED) return error;
  const message = `The receiver ${to} shows statuses of commits, but the commit is not known`;
  return fail("usage", { message, hint: "Add --commit <hash>, with the whole hash.", cause: error });
}

/** The commit: by default that of the CI job, if it is a whole hash. Throws `usage` for one that no status can be shown for. */
function findCommit({ env }: Pick<Io, "env">, given: string | undefined): string | undefined {
  if (given !== undefined) {
    if (isCommit(given)) return given;
    throw fail("usage", { message: `--commit ${JSON.stringify(given)} is not the whole hash of a commit` });
  }
  if (env.GITHUB_SHA && env.GITHUB_EVENT_NAME?.startsWith("pull_request")) {
    throw fail("usage", {
      message:
        "In a workflow for pull requests, GITHUB_SHA is a merge commit, whose statuses GitHub shows nowhere",
      hint: "Add --commit with github.event.pull_request.head.sha.",
    });
  }
  return [env.GITHUB_SHA, env.CI_COMMIT_SHA, env.GIT_COMMIT].find(
    (hash) => hash !== undefined && isCommit(hash),
  );
}

function describeOpened({ game, gate, isNew }: Output<typeof gates.openGate>, tz: string): string {
  const { a, b, to, minTesters, deadline } = gate;
  const testers = minTesters === 1 ? "1 tester has" : `${minTesters} testers have`;
  return (
    `${isNew ? "Opened" : "Renewed"} the gate of ${b} vs ${a} in ${game.slug}. The service decides it once at least ${testers} played, ` +
    `or on ${isoTime(deadline, tz)}, and sends the verdict to ${to}.`
  );
}
