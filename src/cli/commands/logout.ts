/** logout: removes a profile's keys from this machine. */
import { command } from "../command.ts";
import { changeProfile } from "../config-file.ts";

export const logoutCommand = command({
  path: "logout",
  summary: "Remove the stored keys of a profile",
  args: [],
  flags: {},
  examples: ["logout", "logout --profile studio"],
  mends: true,
  async run({ io, settings }) {
    const name = settings.profile.value;
    const removed = Object.keys(settings.stored.keys ?? {});
    if (removed.length > 0) {
      await changeProfile(io.configDir, name, ({ keys: _keys, ...profile }) => profile);
    }
    const told =
      removed.length === 0
        ? `Profile ${name} had no keys.`
        : `Removed the ${removed.join(" and ")} key of profile ${name}.`;
    return { data: { profile: name, removed }, view: () => `${told}\n` };
  },
});

export const commands = [logoutCommand];
