/** builds register: registers a build from CI. */
import { checkInput } from "../../../client/client.ts";
import * as registration from "../../../contract/build-registration.ts";
import { cleanLine } from "../../../render/text.ts";
import { command } from "../../command.ts";

export const registerCommand = command({
  path: "builds register",
  summary: "Register a build from CI, so that it is the latest one",
  details:
    "Once a game has registered builds, only they can be `latest` or `previous`, in the order of their registration, and " +
    "lists show only them by default. Run it in the job that makes the build, before testers get it. Registering a build " +
    "again changes nothing. Requires a CI key in PLAYTEST_CI_KEY (`playtest admin keys create --kind ci`). --game can be " +
    "left out if the key is limited to one game. On the machine of the service, use `playtest admin builds register`.",
  args: [{ name: "<version>", describe: "build version, as the game sends it in gameVersion" }],
  examples: ["builds register 0.9.0 --game ember"],
  async run(context, { args: [version = ""] }) {
    const client = await context.client(registration, { key: "ci" });
    const body = { gameId: (await context.findGame())?.value, version };
    checkInput(registration.registerBuild, { body });
    const data = await client.registerBuild({ body });
    const { game, isNew, isHidden } = data;
    const what = isNew ? "Registered build" : "Already registered: build";
    const note = isHidden ? " It is hidden, so it is not considered." : "";
    return { data, view: () => `${cleanLine(`${what} ${data.version} of ${game.slug}.${note}`)}\n` };
  },
});
