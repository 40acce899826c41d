/** Reads the coppice.yml of a home. */
import { constants, readFileSync, statSync } from "node:fs"
import { basename } from "node:path"
import { ConfigError } from "../core/config/errors.ts"
import { defaultConfig, parseConfig } from "../core/config/parse.ts"
import type { Config } from "../core/config.ts"
import type { Home } from "./home.ts"

/**
 * The configuration of `home` as its file is now; the defaults where it has none.
 *
 * @throws ConfigError naming every problem.
 */
export function readConfigFile(
  { home, configPath }: Pick<Home, "home" | "configPath">,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const name = basename(home)
  if (configPath === null) return defaultConfig(name)
  const parsed = parseConfig(readText(configPath), env, name)
  if (parsed.kind === "invalid") throw new ConfigError(configPath, parsed.problems)
  return parsed.config
}

/** To open a pipe that has just been put there would wait for ever. */
const NEVER_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

function readText(path: string): string {
  try {
    const found = statSync(path)
    if (found.isFile()) return readFileSync(path, { encoding: "utf8", flag: NEVER_WAITING })
    const message = `is ${found.isDirectory() ? "a folder" : "something else"}, not a file`
    throw new ConfigError(path, [{ path: "", message }])
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code})`
    throw new ConfigError(path, [{ path: "", message }], { cause: error })
  }
}
