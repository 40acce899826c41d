/** The arguments that start this program, after the program that runs it. */
import { realpathSync } from "node:fs"
import { isSea } from "node:sea"

/** The file itself and not a link to it: a container may lack the link. The single executable needs none. */
export const ownLauncher = (): readonly string[] =>
  isSea() ? [] : [realpathSync(process.argv[1] ?? "")]
