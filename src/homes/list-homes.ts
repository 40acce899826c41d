/** The tasks of every home: the library's, and the command line's by way of the launcher. */
import type { HomesDocument } from "../core/wire/documents.ts"

/**
 * Reads the stores of all homes of this user; starts no daemon, and changes nothing.
 *
 * @param env says where the state of homes lies. Homes in which no daemon ever ran are not known.
 */
export async function listHomes(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<HomesDocument> {
  const { readHomes } = await import("./read-homes.ts") // with the database, which a client is without
  return readHomes(env)
}
