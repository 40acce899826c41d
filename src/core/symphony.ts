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
import { readYaml } from "./config/yaml.ts"

const texts = z.array(z.string()).catch([])
const word = z.string().optional().catch(undefined)
const count = z.int().positive().optional().catch(undefined)
const part = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape))

/** Symphony's name for the settings of a tracker. */
const SETTINGS = "provider"
const Head = z.object({
  tracker: z.object({
    kind: z.string(),
    [SETTINGS]: z.record(z.string(), z.unknown()).catch({}),
    /** The older form has it here. */
    project_slug: word,
    required_labels: texts,
    active_states: texts,
  }),
  polling: part({ interval_ms: count }),
  agent: part({ max_concurrent_agents: count }),
})
type Head = z.infer<typeof Head>

const FORM = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)/
/** A longer prompt is none that a person wrote; its conditions take quadratic time to find. */
const PROMPT_CHARS_MAX = 32_000
/** Symphony's own default for Linear. */
const ACTIVE = ["Todo", "In Progress"]

/** @returns lines of YAML, as a comment; undefined: it names no tracker that Coppice knows. */
export function symphonySource(file: string): readonly string[] | undefined {
  const [, head = "", body = ""] = FORM.exec(file) ?? []
  const yaml = readYaml(head)
  const read = Head.safeParse(yaml.kind === "ok" ? yaml.value : undefined)
  const place = read.success ? placeOf(read.data) : undefined
  if (!read.success || !place) return undefined
  const { polling, agent, tracker } = read.data
  const { interval_ms: intervalMs } = polling
  const source = {
    ...place,
    ...(intervalMs !== undefined && { interval: `${Math.max(1, Math.round(intervalMs / 1000))}s` }),
    ...(agent.max_concurrent_agents !== undefined && { max_open: agent.max_concurrent_agents }),
    prompt: promptOf(body) || undefined,
  }
  const block = stringify({ sources: { [tracker.kind]: source } }, { lineWidth: 0 })
  return block.trimEnd().split(/\r\n|[\n\r\u0085\u2028\u2029]/)
}

function placeOf({ tracker }: Head) {
  const { kind, [SETTINGS]: settings, project_slug: slug, required_labels: labels } = tracker
  const given = (key: string) => {
    const value = settings[key]
    return typeof value === "string" && !value.startsWith("$") ? value : undefined
  }
  const ready = labels[0] === undefined ? {} : { labels: { ready: labels[0] } }
  const states = statesOf(tracker.active_states)
  if (kind === "linear")
    return { type: kind, team: "ENG", project: given("project_slug") ?? slug, states }
  if (kind === "jira") {
    const site = given("base_url") ?? "https://acme.atlassian.net"
    return { type: kind, project: given("project_key") ?? "ENG", api_url: site, states }
  }
  if (kind === "github") return { type: kind, repo: given("repo") ?? "owner/name", ...ready }
  if (kind === "gitlab")
    return { type: kind, repo: given("project_path") ?? "owner/name", ...ready }
  return undefined
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
