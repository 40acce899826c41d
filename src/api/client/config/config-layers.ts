/**
 * Reads the configuration of a home. coppice.local.yml overrides coppice.yml, and that overrides the
 * user's own file, which is for all homes. A WORKFLOW.md replaces the source that names it.
 *
 * All are one text for the rest of the program. A person approves that text, so a change of any
 * of the files waits for an approval.
 */

import { dirname, isAbsolute, join } from "node:path"
import type { FileText } from "../../../base/text/file-text.ts"
import { ConfigError } from "../../../config/errors.ts"
import { type LayerName, type LayerTexts, layConfig } from "../../../config/layers.ts"
import type { Env } from "../../../config/substitute.ts"
import { type ReadWorkflow, readWorkflow } from "../../../features/sources/rules/symphony.ts"
import {
  layWorkflows,
  type WorkflowSource,
} from "../../../features/sources/rules/workflow-sources.ts"
import { CONFIG_FILE, configPathOf, findEnclosingHome, LOCAL_CONFIG_FILE } from "../home.ts"
import { readConfigInside, readConfigText } from "./config-text.ts"

/** The paths of the files, which need not exist; the user's needs a home directory. */
export function configPaths(home: string, env: Env): Readonly<Record<LayerName, string | null>> {
  const main = configPathOf(home)
  return { local: join(dirname(main), LOCAL_CONFIG_FILE), main, user: userConfigPath(env) }
}

/** `coppice/coppice.yml` in XDG_CONFIG_HOME, else in ~/.config. */
function userConfigPath(env: Env): string | null {
  const root = env["XDG_CONFIG_HOME"]
  if (root && isAbsolute(root)) return join(root, "coppice", CONFIG_FILE)
  return env["HOME"] ? join(env["HOME"], ".config", "coppice", CONFIG_FILE) : null
}

export type HomeConfig = {
  /** The files that there are, for messages; without any, the place of coppice.yml. */
  readonly path: string
  /** One text with the meaning of all; null without a file. */
  readonly text: FileText | null
  readonly user: string | null
  /** The home around it in the same repository. */
  readonly outer: string | undefined
  readonly workflows: readonly WorkflowSource[]
}

/** @throws ConfigError if one of them is not a file or not YAML. */
export function readHomeConfig(home: string, env: Env): HomeConfig {
  return layHomeConfig(home, readLayers(home, env), env)
}

/** @throws ConfigError if one of the files is not a file. */
export function readLayers(home: string, env: Env): LayerTexts {
  const { main, local, user } = configPaths(home, env)
  const read = (path: string | null) => (path === null ? null : readConfigText(path))
  return { main: read(main), local: read(local), user: read(user) }
}

/** As {@link readHomeConfig}, with these texts. */
export function layHomeConfig(home: string, texts: LayerTexts, env: Env): HomeConfig {
  const paths = configPaths(home, env)
  const laid = layConfig(texts)
  if (laid.kind === "invalid") {
    const problems = laid.messages.map((message) => ({ path: "", message }))
    throw new ConfigError(paths[laid.layer] ?? paths.main ?? home, problems)
  }
  const named = (["main", "local", "user"] as const).filter((layer) => texts[layer] !== null)
  const { text, workflows } =
    laid.text === null
      ? { text: null, workflows: [] }
      : layWorkflows(laid.text, (path) => readWorkflowFile(home, path))
  const files = [...named.map((layer) => paths[layer]), ...workflows.map(({ path }) => path)]
  const [first = paths.main, ...others] = files
  const path = others.length > 0 ? `${first} with ${others.join(" and ")}` : first
  const outer = findEnclosingHome(home, env)
  return { path: path ?? home, text: text as FileText | null, user: texts.user, outer, workflows }
}

function readWorkflowFile(home: string, path: string): ReadWorkflow {
  try {
    const text = readConfigInside(home, path)
    return text === null ? { kind: "broken", fault: "there is no such file" } : readWorkflow(text)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { kind: "broken", fault: error.problems[0]?.message ?? error.message }
  }
}
