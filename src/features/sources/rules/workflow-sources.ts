/**
 * Puts the source that a WORKFLOW.md describes into the text of a configuration, in place of `type: workflow`.
 *
 * A person approves that text. So a changed WORKFLOW.md waits for an approval, and a task is given only the prompt of
 * an approved one.
 */
import { stringify } from "yaml"
import { isSection, readYaml, valueAt } from "../../../base/text/yaml.ts"
import type { ReadWorkflow } from "./symphony.ts"

export type WorkflowSource = {
  /** The name of the source. */
  readonly name: string
  readonly path: string
  /** Commands in the file that do not run, one sentence each. */
  readonly idle: readonly string[]
}

const PATH_BY_DEFAULT = "WORKFLOW.md"

/** A text without such a source stays as it is. @param read reads the file at a path in the home. */
export function layWorkflows(
  text: string,
  read: (path: string) => ReadWorkflow,
): { readonly text: string; readonly workflows: readonly WorkflowSource[] } {
  const file = text.includes("workflow") ? readYaml(text) : undefined
  const sources = file?.kind === "ok" ? valueAt(file.value, ["sources"]) : undefined
  if (file?.kind !== "ok" || !isSection(file.value) || !isSection(sources))
    return { text, workflows: [] }
  const workflows: WorkflowSource[] = []
  const laid = Object.entries(sources).map(([name, source]): [string, unknown] => {
    if (!isSection(source) || source["type"] !== "workflow") return [name, source]
    const { type, path = PATH_BY_DEFAULT, ...own } = source
    const found = read(String(path))
    const idle = found.kind === "ok" ? found.idle : []
    workflows.push({ name, path: String(path), idle })
    if (found.kind === "broken") return [name, { type, path: `${path}: ${found.fault}`, ...own }]
    const { states: _, ...others } = found.source
    return [name, { ...asWritten(own["labels"] === undefined ? found.source : others), ...own }]
  })
  if (workflows.length === 0) return { text, workflows }
  const whole = { ...file.value, sources: Object.fromEntries(laid) }
  return { text: stringify(whole, { lineWidth: 0 }), workflows }
}

/** The file fills in no variable: `${VAR}` becomes `${VAR-}`, which a shell reads in the same way. */
const asWritten = (source: object): object =>
  JSON.parse(JSON.stringify(source).replaceAll(/\$\{([A-Za-z_]\w*)(?::-|(?=\}))/g, "${$1-"))
