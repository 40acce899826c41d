import { expect, test } from "vitest"
import { parseConfig } from "../../config/parse.ts"

const parse = (source: object) =>
  parseConfig(JSON.stringify({ version: 1, sources: { gh: source } }), {}, "app")

test("a source has its defaults", () => {
  const parsed = parse({ type: "github", repo: "acme/app" })
  expect(parsed).toMatchObject({
    kind: "ok",
    config: {
      sources: [
        {
          name: "gh",
          labels: { ready: "coppice", inProgress: "coppice: in progress" },
          authors: "members",
          intervalMs: 60_000,
          openMax: 4,
          readyAgain: true,
          onFailure: "hold",
        },
      ],
    },
  })
})

test("a source of Jira has a label without spaces by default", () => {
  const parsed = parse({ type: "jira", project: "ENG", api_url: "https://acme.atlassian.net" })
  const labels = { ready: "coppice", inProgress: "coppice-in-progress" }
  expect(parsed).toMatchObject({ kind: "ok", config: { sources: [{ labels, project: "ENG" }] } })
})

test("a chat needs a mention, is polled often, and a session lasts a day by default", () => {
  const parsed = parse({ type: "slack", channel: "C0123ABCD", authors: ["U1"] })
  const slack = { project: "C0123ABCD", needsMention: true, intervalMs: 10_000 }
  const sources = [{ ...slack, authors: ["U1"], expiresMs: 86_400_000 }]
  expect(parsed).toMatchObject({ kind: "ok", config: { sources } })
})

test.each<[object, string, RegExp]>([
  [{ type: "slack", authors: ["U1"] }, "sources.gh.channel", /needed/],
  [{ type: "discord", channel: "1" }, "sources.gh.authors", /needed/],
  [{ type: "slack", channel: "C1", authors: "anyone" }, "sources.gh.authors", /list of ids/],
  [{ type: "slack", channel: "../x", authors: ["U1"] }, "sources.gh.channel", /id of a channel/],
  [{ type: "slack", channel: "C1", authors: [], labels: {} }, "sources.gh.labels", /not for/],
  [{ type: "github", repo: "a/b", mention: false }, "sources.gh.mention", /not for/],
  [{ type: "bitbucket" }, "sources.gh.type", /not possible/],
  [{ type: "gitea", repo: "a/b" }, "sources.gh.api_url", /needed/],
  [{ type: "github" }, "sources.gh.repo", /needed/],
  [{ type: "github", repo: "a/b/c" }, "sources.gh.repo", /no more parts/],
  [
    { type: "gitea", repo: "a/b/c", api_url: "https://x.example" },
    "sources.gh.repo",
    /no more parts/,
  ],
  [{ type: "github", repo: "../x" }, "sources.gh.repo", /owner and a name/],
  [{ type: "github", repo: "a/b", folder: "x" }, "sources.gh.folder", /not for/],
  [{ type: "gitlab" }, "sources.gh.repo", /needed/],
  [{ type: "gitlab", repo: "acme/../x" }, "sources.gh.repo", /owner and a name/],
  [{ type: "linear" }, "sources.gh.team", /needed/],
  [{ type: "linear", team: "../x" }, "sources.gh.team", /such as ENG/],
  [
    { type: "github", repo: "a/b", states: { ready: "a", in_progress: "b" } },
    "sources.gh.states",
    /not for/,
  ],
  [
    { type: "linear", team: "ENG", states: { ready: "a", in_progress: "a" } },
    "sources.gh.states",
    /different/,
  ],
  [
    { type: "linear", team: "ENG", states: { ready: "a", in_progress: "b" }, labels: {} },
    "sources.gh.states",
    /set one of them/,
  ],
  [{ type: "jira", project: "ENG" }, "sources.gh.api_url", /needed/],
  [
    { type: "jira", project: "eng", api_url: "https://x.example" },
    "sources.gh.project",
    /such as ENG/,
  ],
  [
    { type: "linear", team: "ENG", states: { ready: ["a", "b"], in_progress: "b" } },
    "sources.gh.states",
    /different/,
  ],
  [{ type: "linear", team: "ENG", email: "a" }, "sources.gh.email", /not for/],
  [
    {
      type: "jira",
      project: "ENG",
      api_url: "https://x.example",
      labels: { ready: "two words" },
    },
    "sources.gh.labels",
    /without spaces/,
  ],
  [{ type: "files", folder: "../x" }, "sources.gh.folder", /inside the home/],
  [{ type: "files", folder: "x", label: "y" }, "sources.gh.label", /did you mean|there are/],
  [{ type: "files", folder: "x", agent: "y" }, "sources.gh.agent", /not configured/],
  [{ type: "github", repo: "a/b", api_url: "http://x.example" }, "sources.gh.api_url", /https/],
  [{ type: "github", repo: "a/b", token_variable: "HOME" }, "sources.gh.token_variable", /token/],
  [
    { type: "github", repo: "a/b", labels: { ready: "a", in_progress: "a" } },
    "sources.gh.labels",
    /two/,
  ],
  [{ type: "github", repo: "a/b", authors: "all" }, "sources.gh.authors", /list of names/],
])("%j is refused by its path", (source, path, message) => {
  const parsed = parse(source)
  expect(parsed).toMatchObject({
    kind: "invalid",
    problems: [{ path, message: expect.stringMatching(message) }],
  })
})

test.each([
  ["api_url", "http://git.corp/api/v4", /https/],
  ["api_url", "https://bob:s3cret@git.corp", /without a password/],
  ["api_url", "https://:s3cret@git.corp", /without a password/],
  ["token_variable", "HOME", /token/],
])("a forge's %s is as strict as a source's: %s [42.14]", (key, value, message) => {
  const file = { version: 1, repos: { app: { forge: { [key]: value } } } }
  const parsed = parseConfig(JSON.stringify(file), {}, "app")
  const problem = { path: `repos.app.forge.${key}`, message: expect.stringMatching(message) }
  expect(parsed).toMatchObject({ kind: "invalid", problems: [problem] })
})
