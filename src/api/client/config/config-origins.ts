/**
 * Says which file each key of the configuration comes from.
 *
 * A section is merged from all the files that have it, so each of its keys has an origin of its own.
 */
import { join } from "node:path"
import { isSection, readYaml, valueAt } from "../../../base/text/yaml.ts"
import type { LayerTexts } from "../../../config/layers.ts"
import type { Env } from "../../../config/substitute.ts"
import type { WorkflowSource } from "../../../features/sources/rules/workflow-sources.ts"
import type { ConfigKeyDocument } from "../../wire/home.ts"
import { configPaths, readLayers } from "./config-layers.ts"

type Files = {
  readonly home: string
  readonly env: Env
  readonly workflows: readonly WorkflowSource[]
}

type Origin = ConfigKeyDocument["keys"][number]

/** The strongest first. */
const STRENGTHS = ["local", "main", "user"] as const

/** The origin of each key of `value`, which stands at `steps`; of `value` itself if it is no section. */
export function originsOf(files: Files, steps: readonly string[], value: unknown): Origin[] {
  const read = readFiles(files)
  return leavesOf(steps, value).map((leaf) => {
    const [, , ...rest] = leaf
    const own = read.find((one) => valueAt(one.value, leaf) !== undefined)
    const of = own ?? read.find((one) => valueAt(one.value, ["defaults", ...rest]) !== undefined)
    const workflow = workflowOf(files, leaf)
    const isWorkflows = workflow !== undefined && (own === undefined || rest[0] === "type")
    const origin = own || isWorkflows || leaf[0] !== "agents" ? "file" : "defaults"
    const path = isWorkflows ? workflow : (of?.path ?? configPaths(files.home, files.env).main)
    return { key: leaf.join("."), origin, path: path ?? files.home }
  })
}

/** The keys at or below `steps` that a stronger file than coppice.yml sets, so that they count. */
export function strongerThanMain(
  home: string,
  env: Env,
  steps: readonly string[],
): { readonly path: string; readonly keys: readonly string[] } | undefined {
  const [local] = readFiles({ home, env, workflows: [] }, readLayers(home, env)).filter(
    ({ layer }) => layer === "local",
  )
  if (!local) return undefined
  // A value that is no section replaces the whole section around the key.
  const around = steps.findIndex((_, at) => {
    const found = valueAt(local.value, steps.slice(0, at + 1))
    return found !== undefined && !isSection(found)
  })
  const at = around < 0 ? steps : steps.slice(0, around + 1)
  const value = valueAt(local.value, at)
  if (value === undefined) return undefined
  return { path: local.path, keys: leavesOf(at, value).map((leaf) => leaf.join(".")) }
}

function readFiles({ home, env }: Files, texts: LayerTexts = readLayers(home, env)) {
  const paths = configPaths(home, env)
  return STRENGTHS.flatMap((layer) => {
    const [path, text] = [paths[layer], texts[layer]]
    const read = text === null ? undefined : readYaml(text)
    return path === null || read?.kind !== "ok" ? [] : [{ layer, path, value: read.value }]
  })
}

/** A list is one value: it is replaced as a whole. */
function leavesOf(steps: readonly string[], value: unknown): (readonly string[])[] {
  if (!isSection(value) || Object.keys(value).length === 0) return [steps]
  return Object.entries(value).flatMap(([key, part]) => leavesOf([...steps, key], part))
}

function workflowOf({ home, workflows }: Files, [section, name]: readonly string[]) {
  const found = workflows.find((one) => section === "sources" && one.name === name)
  return found && join(home, found.path)
}
