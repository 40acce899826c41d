/**
 * Writes a WORKFLOW.md of Symphony as a source for coppice.yml. Pure.
 *
 * The file belongs to the repository, so it is read once, for a person who then decides. No token is
 * taken from it. The fields of an issue are left out of the prompt: they follow it as data.
 *
 * @see https://github.com/openai/symphony/blob/main/SPEC.md
 */
import { stringify } from "yaml"
import { z } from "zod"
import { readYaml, valueAt } from "./config/yaml.ts"

const FORM = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)/
/** A longer prompt is none that a person wrote; its conditions take quadratic time to find. */
const PROMPT_CHARS_MAX = 32_000
/** Symphony's own default for Linear. */
const ACTIVE = ["Todo", "In Progress"]

/** @returns lines of YAML, as a comment; undefined: it names no tracker that Coppice knows. */
export function symphonySource(file: string): readonly string[] | undefined {
  const [, head = "", body = ""] = FORM.exec(file) ?? []
  const yaml = readYaml(head)
  if (yaml.kind !== "ok") return undefined
  const wrong: string[] = []
  const find: Find = (path, schema) => {
    const value = valueAt(yaml.value, path.split(".")) ?? undefined
    const read = schema.optional().safeParse(value)
    if (!read.success) wrong.push(`# left out, since it is not as Symphony says: ${path}`)
    return read.data
  }
  const place = placeOf(find)
  if (!place) return undefined
  const intervalMs = find("polling.interval_ms", count)
  const source = {
    ...place,
    interval: intervalMs && `${Math.max(1, Math.round(intervalMs / 1000))}s`,
    max_open: find("agent.max_concurrent_agents", count),
    prompt: promptOf(body) || undefined,
  }
  const block = stringify({ sources: { [place.type]: source } }, { lineWidth: 0 })
  return [...block.trimEnd().split(/\r\n|[\n\r\u0085\u2028\u2029]/), ...wrong]
}

/** The value of a field. One of another kind is left out: the result is a draft for a person. */
type Find = <Value>(path: string, schema: z.ZodType<Value>) => Value | undefined

const text = z.string()
const texts = z.array(text)
const count = z.int().positive()

function placeOf(find: Find) {
  const type = find("tracker.kind", text)
  const given = (key: string) => {
    const value = find(`tracker.provider.${key}`, text)
    return value?.startsWith("$") ? undefined : value
  }
  if (type === "github" || type === "gitlab") {
    const repo = given(type === "github" ? "repo" : "project_path") ?? "owner/name"
    const [ready] = find("tracker.required_labels", texts) ?? []
    return { type, repo, labels: ready === undefined ? undefined : { ready } }
  }
  if (type !== "linear" && type !== "jira") return undefined
  const states = statesOf(find("tracker.active_states", texts) ?? [])
  // The older form has the slug at another place.
  if (type === "linear")
    return {
      type,
      team: "ENG",
      project: given("project_slug") ?? find("tracker.project_slug", text),
      states,
    }
  const site = given("base_url") ?? "https://acme.atlassian.net"
  return { type, project: given("project_key") ?? "ENG", api_url: site, states }
}

/** In Symphony an issue in work is as active as a new one. */
function statesOf(given: readonly string[]) {
  const active = given.length > 0 ? given : ACTIVE
  const working = active.find((name) => /progress/i.test(name)) ?? "In Progress"
  const ready = active.filter((name) => name !== working)
  return { ready: ready.length > 0 ? ready : ["Todo"], in_progress: working }
}

/** Without Liquid: its conditions hold for a first attempt at an issue that has a text. */
function promptOf(body: string): string {
  return body
    .slice(0, PROMPT_CHARS_MAX)
    .replaceAll(/\{%-?\s*if attempt\b[\s\S]*?\{%-?\s*endif\s*-?%\}/g, "")
    .replaceAll(/\{%-?\s*else\b[\s\S]*?\{%-?\s*endif\s*-?%\}/g, "")
    .replaceAll(/\{%[\s\S]*?%\}/g, "")
    .replaceAll(/\{\{[\s\S]*?\}\}/g, "(see the work item)")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
}
