/** Lists the tasks of every home, for the library and the launcher. */
import type { HomesDocument } from "./api/wire/home.ts"
import { SAYING_WHY } from "./declared/light.ts"

/**
 * Reads the stores of all homes of this user; starts no daemon, and changes nothing.
 *
 * @param env names the folder of all state. Homes in which no daemon ever ran are not known.
 */
export async function listHomes(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<HomesDocument> {
  // These load the database, which a client does not.
  const { readHomes } = await import("./features/homes/read-homes.ts")
  return readHomes(env, await Promise.all(SAYING_WHY.map((load) => load())))
}
