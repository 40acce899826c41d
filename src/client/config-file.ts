/** Reads the coppice.yml of a home. */
import { readFileSync } from "node:fs"
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

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message = code === "EISDIR" ? "is a folder, not a file" : `cannot be read (${code})`
    throw new ConfigError(path, [{ path: "", message }], { cause: error })
  }
}
