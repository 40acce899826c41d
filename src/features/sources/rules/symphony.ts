/**
 * Reads a WORKFLOW.md of Symphony as a source of coppice.yml. Pure.
 *
 * No token and no address is taken from it, and none of its commands runs. The fields of an issue are left out of
 * the prompt: they follow it as data.
 *
 * @see https://github.com/openai/symphony/blob/main/SPEC.md
 */
import { stringify } from "yaml"
import { readYaml, valueAt } from "../../../base/text/yaml.ts"
import { renderTemplate } from "./liquid.ts"

export type ReadWorkflow =
  | {
      readonly kind: "ok"
      /** Keys of a source. */
      readonly source: Readonly<Record<string, unknown>> & { readonly type: string }
      /** Commands in the file that do not run, one sentence each. */
      readonly idle: readonly string[]
    }
  | { readonly kind: "broken"; readonly fault: string }

const FORM = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)/
/** Symphony's own default for Linear. */
const ACTIVE = ["Todo", "In Progress"]
/** Values that the file may lack, or take from a variable. */
const EXAMPLES: Readonly<Record<string, object>> = {
  linear: { team: "ENG" },
  jira: { project: "ENG", api_url: "https://acme.atlassian.net" },
  github: { repo: "owner/name" },
  gitlab: { repo: "owner/name" },
}
/** Where a command of the file belongs instead. `after_create` is the set-up: see foreign-setup.ts. */
const HOOKS: Readonly<Record<string, string>> = {
  before_run: "agents.<name>.hooks.before_run",
  after_run: "agents.<name>.hooks.after_run",
  before_remove: "repos.<name>.teardown",
}

export function readWorkflow(file: string): ReadWorkflow {
  const [, head = "", body = ""] = FORM.exec(file) ?? []
  const yaml = readYaml(head)
  if (yaml.kind !== "ok") return broken(`its head is not YAML: ${yaml.messages[0]}`)
  const wrong: string[] = []
  const find: Find = (path, is) => {
    const value = valueAt(yaml.value, path.split(".")) ?? undefined
    if (value === undefined || is(value)) return value
    wrong.push(path)
    return undefined
  }
  const place = placeOf(find)
  const intervalMs = find("polling.interval_ms", isCount)
  const openMax = find("agent.max_concurrent_agents", isCount)
  const prompt = renderTemplate(body)
  if (wrong.length > 0) return broken(`\`${wrong[0]}\` is not as Symphony says`)
  if (!place) return broken("`tracker.kind` is not one of github, gitlab, jira, linear")
  if ("fault" in prompt) return broken(prompt.fault)
  const interval = intervalMs && `${Math.max(1, Math.round(intervalMs / 1000))}s`
  const source = { ...place, interval, max_open: openMax, prompt: prompt.text || undefined }
  const idle = Object.entries(HOOKS).flatMap(([name, instead]) =>
    valueAt(yaml.value, ["hooks", name])
      ? [`\`hooks.${name}\` does not run: write it as \`${instead}\``]
      : [],
  )
  return { kind: "ok", source: withoutAbsent(source), idle }
}

/** @returns lines of YAML for a person to complete; undefined: the file is no workflow that Coppice can read. */
export function draftOfWorkflow(file: string, path: string): readonly string[] | undefined {
  const read = readWorkflow(file)
  if (read.kind === "broken") return undefined
  const { type } = read.source
  const missing = Object.entries(EXAMPLES[type] ?? {}).filter(([key]) => !(key in read.source))
  const source = { type: "workflow", path, ...Object.fromEntries(missing) }
  return stringify({ sources: { [type]: source } })
    .trimEnd()
    .split("\n")
}

const broken = (fault: string): ReadWorkflow => ({ kind: "broken", fault })

/** The value of a field; undefined without one, or with one of another kind. */
type Find = <Value>(path: string, is: (value: unknown) => value is Value) => Value | undefined

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0

function placeOf(find: Find) {
  const type = find("tracker.kind", isText)
  const given = (key: string) => {
    // The older form has no section `provider`.
    const value = find(`tracker.provider.${key}`, isText) ?? find(`tracker.${key}`, isText)
    return value?.startsWith("$") ? undefined : value
  }
  if (type === "github" || type === "gitlab") {
    const repo = given(type === "github" ? "repo" : "project_path")
    const [ready] = find("tracker.required_labels", isTexts) ?? []
    return { type, repo, labels: ready === undefined ? undefined : { ready } }
  }
  if (type !== "linear" && type !== "jira") return undefined
  const states = statesOf(find("tracker.active_states", isTexts) ?? [])
  return { type, project: given(type === "linear" ? "project_slug" : "project_key"), states }
}

/** In Symphony an issue in work is as active as a new one. */
function statesOf(given: readonly string[]) {
  const active = given.length > 0 ? given : ACTIVE
  const working = active.find((name) => /progress/i.test(name)) ?? "In Progress"
  const ready = active.filter((name) => name !== working)
  return { ready: ready.length > 0 ? ready : ["Todo"], in_progress: working }
}

const withoutAbsent = <Section extends object>(section: Section): Section =>
  Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined)) as Section
