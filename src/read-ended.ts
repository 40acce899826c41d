/** Loads the reader of ended homes when it is needed: the program and the library share it. */
import type { ReadEnded } from "./api/client/connect.ts"

export const loadAndReadEnded: ReadEnded = async (home, path, stateDir) =>
  (await import("./daemon/read-ended.ts")).readEnded(home, path, stateDir)
