/** Lists the tasks of every home, for the library and the launcher. */
import type { HomesDocument } from "./api/wire/home.ts"

/**
 * Reads the stores of all homes of this user; starts no daemon, and changes nothing.
 *
 * @param env names the folder of all state. Homes in which no daemon ever ran are not known.
 */
export async function listHomes(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<HomesDocument> {
  // Both load the database, which a client does not. No other feature says why a task of a list waits.
  const { readHomes } = await import("./features/homes/read-homes.ts")
  const { subTasks } = await import("./features/sub-tasks/index.ts")
  return readHomes(env, [subTasks])
}
