/** Replaces a management key in the profiles that contain it. */
import { hashKey } from "../../../../server/accounts/keys.ts";
import { type ProfileKey, readConfig, updateProfile } from "../../../config-file.ts";
import type { Context } from "../../../context.ts";

/**
 * Replaces the key with this hash, and returns the names of the changed profiles. A profile that cannot be changed only
 * causes a warning, because the new key is already valid and must still be shown.
 */
export async function replaceProfileKeys(context: Context, oldHash: string, key: string): Promise<string[]> {
  const changed: string[] = [];
  const { profiles = {} } = readConfig(context.io.configDir);
  for (const [name, { keys }] of Object.entries(profiles)) {
    if (!keys?.management) continue;
    try {
      if (await replaceKey(context, name, keys.management, oldHash, key)) changed.push(name);
    } catch (error) {
      const reason = (error as Error).message;
      await context.notify(
        `Warning: the profile ${JSON.stringify(name)} may still contain the previous key: ${reason}`,
      );
    }
  }
  return changed;
}

/** Replaces the key of a profile. Returns false if it is another key. */
async function replaceKey(
  { io }: Context,
  profile: string,
  stored: ProfileKey,
  oldHash: string,
  key: string,
): Promise<boolean> {
  const { baseUrl } = stored;
  if ("keychain" in stored) {
    const { readFromKeychain, storeInKeychain } = await import("../../../keychain.ts");
    const entry = { profile, kind: "management", baseUrl } as const;
    if (hashKey(await readFromKeychain(io, entry)) !== oldHash) return false;
    await storeInKeychain(io, entry, key);
    return true;
  }
  if (hashKey(stored.key) !== oldHash) return false;
  await updateProfile(io.configDir, profile, (current) => ({
    ...current,
    keys: { ...current.keys, management: { key, baseUrl } },
  }));
  return true;
}
