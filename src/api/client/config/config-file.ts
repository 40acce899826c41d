/** Reads the configuration of a home. */

import { basename } from "node:path"
import type { Config } from "../../../config/config.ts"
import { ConfigError } from "../../../config/errors.ts"
import { defaultConfig, parseConfig } from "../../../config/parse.ts"
import type { Env } from "../../../config/substitute.ts"
import type { Home } from "../home.ts"
import { readHomeConfig } from "./config-layers.ts"
import { Places } from "./repository-places.ts"

/**
 * The configuration of `home` as its files are now; the defaults without a file.
 *
 * @throws ConfigError naming every problem.
 */
export function readConfigFile({ home }: Pick<Home, "home">, env: Env): Config {
  const { path, text } = readHomeConfig(home, env)
  return parseConfigText({ home, path }, text, env)
}

/**
 * The configuration in the text of a home's file; null: the defaults.
 *
 * @param places learn which paths it has. @throws ConfigError
 */
export function parseConfigText(
  { home, path }: { readonly home: string; readonly path: string },
  text: string | null,
  env: Env,
  places = new Places(home),
): Config {
  const name = basename(home)
  if (text === null) return defaultConfig(name)
  const parsed = parseConfig(text, env, name, places.locate)
  if (parsed.kind === "invalid") throw new ConfigError(path, parsed.problems)
  return parsed.config
}
