import { expect, test } from "vitest"
import { parseConfig } from "./config/parse.ts"
import { symphonySource } from "./symphony.ts"

const BODY = `You work on \`{{ issue.identifier }}\`.
{% if attempt %}
This is attempt {{ attempt }}.
{% endif %}
{% if issue.description %}
{{ issue.description }}
{% else %}
No description.
{% endif %}
Run the tests.`

const file = (tracker: string, rest = "") => `---\ntracker:\n${tracker}\n${rest}---\n\n${BODY}\n`

function sourceOf(text: string) {
  const lines = symphonySource(text) ?? []
  const parsed = parseConfig(["version: 1", ...lines].join("\n"), {}, "app")
  return parsed.kind === "ok" ? parsed.config.sources[0] : parsed
}

test("a workflow on Linear is a valid source, with its states and its prompt", () => {
  const tracker =
    "  kind: linear\n  provider: { project_slug: app-0c79, api_key: lin_api_x }\n  active_states: [Todo, In Progress, Rework]"
  const rest = "polling: { interval_ms: 5000 }\nagent: { max_concurrent_agents: 10 }\n"
  expect(sourceOf(file(tracker, rest))).toMatchObject({
    type: "linear",
    slug: "app-0c79",
    states: { ready: ["Todo", "Rework"], inProgress: "In Progress" },
    intervalMs: 5000,
    openMax: 10,
    prompt: "You work on `(see the work item)`.\n\n(see the work item)\n\nRun the tests.",
  })
  expect(symphonySource(file(tracker))?.join("\n")).not.toContain("lin_api_x")
})

test.each([
  ["  kind: linear\n  project_slug: old", { type: "linear", slug: "old", openMax: 4 }],
  [
    "  kind: jira\n  provider: { project_key: OPS, base_url: $JIRA_BASE_URL }",
    { type: "jira", project: "OPS", apiUrl: "https://acme.atlassian.net" },
  ],
  [
    "  kind: github\n  provider: { repo: acme/app }\n  required_labels: [agent]",
    { type: "github", project: "acme/app", labels: { ready: "agent" } },
  ],
  ["  kind: gitlab\n  provider: { project_path: a/b/c }", { type: "gitlab", project: "a/b/c" }],
])("%j becomes a source", (tracker, wanted) => {
  expect(sourceOf(file(tracker))).toMatchObject(wanted)
})

test("a field that is not as Symphony says is left out, and named in a comment", () => {
  const tracker = "  kind: github\n  provider: { repo: [acme] }\n  required_labels: agent"
  const text = file(tracker, "polling: { interval_ms: soon }\nagent: 3\n")
  const source = sourceOf(text)
  expect(source).toMatchObject({ type: "github", project: "owner/name", openMax: 4 })
  const paths = ["tracker.provider.repo", "tracker.required_labels", "polling.interval_ms"]
  const named = paths.map((path) => `# left out, since it is not as Symphony says: ${path}`)
  expect(symphonySource(text)?.filter((line) => line.startsWith("#"))).toEqual(named)
})

test.each(["# A document", "---\nhooks: {}\n---\n", "---\n[\n---\n", file("  kind: asana"), ""])(
  "%j names no source",
  (text) => {
    expect(symphonySource(text)).toBeUndefined()
  },
)

test("a template without ends is read in moderate time", () => {
  const text = file("  kind: linear").replace(BODY, "{% if attempt %}".repeat(60_000))
  expect(symphonySource(text)).toBeDefined()
}, 5_000)

test("each line stays a comment once it is marked as one", () => {
  const tracker = '  kind: github\n  provider: { repo: "a\\r\\nagents: {}\\u2028x: y" }'
  for (const line of symphonySource(file(tracker)) ?? [])
    expect(line).toMatch(/^[^\n\r\u0085\u2028\u2029]*$/)
})
