/** logout: removes a profile's keys from this machine. */
import { command } from "../command.ts";
import type { StoredKeyKind } from "../config-file.ts";
import { type ProfileKey, readConfig, updateProfile } from "../config-file.ts";
import { fail } from "../errors.ts";
import { describeProfile } from "../settings.ts";

const logoutCommand = command({
  path: "logout",
  summary: "Remove the stored keys of a profile",
  examples: ["logout", "logout --profile studio"],
  toleratesInvalidProfile: true,
  async run({ io, settings }) {
    const name = settings.profile.value;
    if (
      settings.profile.source !== "default" &&
      !Object.hasOwn(readConfig(io.configDir).profiles ?? {}, name)
    ) {
      throw fail("config", {
        message: `Profile ${JSON.stringify(name)} does not exist (from ${settings.profile.source})`,
        hint: "Run `playtest profiles` to list profiles.",
      });
    }
    const keys = Object.entries(settings.stored.keys ?? {}) as [StoredKeyKind, ProfileKey][];
    const removed = keys.map(([kind]) => kind);
    for (const [kind, stored] of keys) {
      if (!("keychain" in stored)) continue;
      const { removeFromKeychain } = await import("../keychain.ts");
      await removeFromKeychain(io, { profile: name, kind, baseUrl: stored.baseUrl });
    }
    if (removed.length > 0) {
      await updateProfile(io.configDir, name, ({ keys: _keys, ...profile }) => profile);
    }
    const message =
      removed.length === 0
        ? `Profile ${JSON.stringify(name)} has no stored keys.`
        : `Removed the ${removed.join(" and ")} ${removed.length === 1 ? "key" : "keys"} from ${describeProfile(name)}.`;
    return { data: { profile: name, removed }, view: () => `${message}\n` };
  },
});

export const commands = [logoutCommand];
