import { expect, test } from "vitest"
import { parseConfig } from "../../../config/parse.ts"
import { draftOfWorkflow, readWorkflow } from "./symphony.ts"
import { layWorkflows } from "./workflow-sources.ts"

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

const file = (tracker: string, rest = "", body = BODY) =>
  `---\ntracker:\n${tracker}\n${rest}---\n\n${body}\n`

/** The source of a coppice.yml whose `type: workflow` has the keys `own`. */
function sourceOf(text: string, own = "") {
  const config = `version: 1\nsources: { s: { type: workflow${own} } }`
  const laid = layWorkflows(config, () => readWorkflow(text))
  const parsed = parseConfig(laid.text, {}, "app")
  return parsed.kind === "ok" ? parsed.config.sources[0] : parsed.problems[0]
}

test("a workflow on Linear is a source, with its states and its prompt [39.17]", () => {
  const tracker =
    "  kind: linear\n  provider: { project_slug: app-0c79, api_key: lin_api_x }\n  active_states: [Todo, In Progress, Rework]"
  const rest = "polling: { interval_ms: 5000 }\nagent: { max_concurrent_agents: 10 }\n"
  expect(sourceOf(file(tracker, rest), ", team: ENG")).toMatchObject({
    type: "linear",
    slug: "app-0c79",
    states: { ready: ["Todo", "Rework"], inProgress: "In Progress" },
    intervalMs: 5000,
    openMax: 10,
    prompt: "You work on `(see the work item)`.\n\n(see the work item)\n\nRun the tests.",
  })
  expect(JSON.stringify(readWorkflow(file(tracker)))).not.toContain("lin_api_x")
})

test.each([
  [
    "  kind: linear\n  project_slug: old",
    ", team: ENG",
    { type: "linear", slug: "old", openMax: 4 },
  ],
  [
    "  kind: jira\n  provider: { project_key: OPS, base_url: $JIRA_BASE_URL }",
    ", api_url: https://acme.atlassian.net",
    { type: "jira", project: "OPS", apiUrl: "https://acme.atlassian.net" },
  ],
  [
    "  kind: github\n  provider: { repo: acme/app, api_url: https://evil.example }\n  required_labels: [agent]",
    "",
    { type: "github", project: "acme/app", apiUrl: undefined, labels: { ready: "agent" } },
  ],
  ["  kind: gitlab\n  provider: { project_path: a/b/c }", "", { type: "gitlab", project: "a/b/c" }],
])("%j becomes a source [39.17]", (tracker, own, wanted) => {
  expect(sourceOf(file(tracker), own)).toMatchObject(wanted)
})

test("keys of coppice.yml win over the file, and a missing one is named [39.17]", () => {
  const text = file("  kind: linear\n  provider: { project_slug: app }")
  expect(sourceOf(text)).toEqual({
    path: "sources.s.team",
    message: "is needed with `type: linear`",
  })
  const own = ", team: ENG, project: other, labels: { ready: go }, max_open: 1"
  expect(sourceOf(text, own)).toMatchObject({
    slug: "other",
    labels: { ready: "go" },
    states: undefined,
    openMax: 1,
  })
})

test("no variable of the file is filled in [39.17]", () => {
  const text = file(
    "  kind: github\n  provider: { repo: a/b }",
    "",
    "Run ${HOME}/x ${GH_TOKEN:-y}.",
  )
  expect(sourceOf(text)).toMatchObject({ prompt: "Run ${HOME-}/x ${GH_TOKEN-y}." })
})

test.each([
  ["# A document", "`tracker.kind` is not one of"],
  ["---\n[\n---\n", "its head is not YAML"],
  [file("  kind: asana"), "`tracker.kind` is not one of"],
  [
    file("  kind: github\n  provider: { repo: [acme] }"),
    "`tracker.provider.repo` is not as Symphony",
  ],
  [file("  kind: linear", "polling: { interval_ms: soon }\n"), "`polling.interval_ms` is not as"],
  [
    file("  kind: linear", "", "{% for a in b %}x{% endfor %}"),
    "its prompt has `{% for a in b %}`, which Coppice",
  ],
])("%j is a mistake of the source, which says why [39.17]", (text, fault) => {
  expect(sourceOf(text)).toEqual({
    path: "sources.s.path",
    message: expect.stringContaining(`cannot be used: WORKFLOW.md: ${fault}`),
  })
})

test("commands of the file that do not run are named with the key to write [39.17]", () => {
  const hooks = "hooks: { after_create: npm ci, before_run: make, before_remove: rm x }\n"
  expect(readWorkflow(file("  kind: linear", hooks))).toMatchObject({
    idle: [
      "`hooks.before_run` does not run: write it as `agents.<name>.hooks.before_run`",
      "`hooks.before_remove` does not run: write it as `repos.<name>.teardown`",
    ],
  })
})

test("a configuration without a workflow keeps its text byte for byte [31.9]", () => {
  const text = "version:   1 # workflow\nsources: { s: { type: files, folder: workflow } }\n"
  const laid = layWorkflows(text, () => expect.fail("reads no file"))
  expect(laid).toEqual({ text, workflows: [] })
})

test("a draft has what the file does not say, and is no longer a comment once it is unmarked", () => {
  expect(draftOfWorkflow(file("  kind: linear"), "WORKFLOW.md")).toEqual([
    "sources:",
    "  linear:",
    "    type: workflow",
    "    path: WORKFLOW.md",
    "    team: ENG",
  ])
  expect(draftOfWorkflow("# A document", "WORKFLOW.md")).toBeUndefined()
})
