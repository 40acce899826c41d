/** The token for a tracker, and the address that it goes to. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findToken } from "./source-token.ts"

const GITHUB = { type: "github", api: "https://api.github.com", variable: undefined } as const

/** A PATH with a `gh` that is logged in to the host. */
function pathWithGh(host: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gh-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = `#!/bin/sh\nset -- "$@"\n[ "$1 $2 $4" = "auth token ${host}" ] && echo of-gh || exit 1\n`
  writeFileSync(join(folder, "gh"), script)
  chmodSync(join(folder, "gh"), 0o755)
  return folder
}

const find = (source: object, env: Readonly<Record<string, string>>) =>
  findToken({ ...GITHUB, ...source }, env, () => 0)()

test("the usual variables and `gh` serve github.com", async () => {
  expect(await find({}, { GH_TOKEN: "a", GITHUB_TOKEN: "b" })).toBe("a")
  expect(await find({}, { GITHUB_TOKEN: "b\n" })).toBe("b")
  expect(await find({}, { PATH: pathWithGh("github.com") })).toBe("of-gh")
  expect(await find({ variable: "GITHUB_BOT_TOKEN" }, { GITHUB_BOT_TOKEN: "c" })).toBe("c")
})

test("a token goes to no other address than its own [39.11]", async () => {
  const api = "https://ghe.example/api/v3"
  const env = { GH_TOKEN: "a", GITHUB_TOKEN: "b", PATH: pathWithGh("github.com") }
  await expect(find({ api }, env)).rejects.toMatchObject({ code: "source.refused" })
  expect(await find({ api }, { PATH: pathWithGh("ghe.example") })).toBe("of-gh")
  const enterprise = { ...env, GH_ENTERPRISE_TOKEN: "e" }
  expect(await find({ api }, { ...enterprise, GH_HOST: "ghe.example" })).toBe("e")
  for (const GH_HOST of ["", "ghe.other", "ghe.example:8443"])
    await expect(find({ api }, { ...enterprise, GH_HOST })).rejects.toThrow("ghe.example")
  const none = { GH_ENTERPRISE_TOKEN: "e", PATH: pathWithGh("ghe.example") }
  await expect(find({}, none)).rejects.toMatchObject({ code: "source.refused" })
})

test("an unusable token is named, and not printed", async () => {
  const bad = find({}, { GH_TOKEN: "se cret" })
  await expect(bad).rejects.toThrow(/characters that no token has/)
  await expect(bad).rejects.not.toThrow(/se cret/)
  await expect(find({ variable: "GITHUB_X_TOKEN" }, {})).rejects.toThrow("GITHUB_X_TOKEN")
})

test("GITLAB_TOKEN goes to no other GitLab than its own, and never to GitHub [39.11]", async () => {
  const env = { GITLAB_TOKEN: "a", PATH: "/nowhere" }
  const gitlab = { type: "gitlab", api: "https://gitlab.com/api/v4" }
  const other = { type: "gitlab", api: "https://git.corp/api/v4" }
  expect(await find(gitlab, env)).toBe("a")
  expect(await find(other, { ...env, GITLAB_HOST: "git.corp" })).toBe("a")
  await expect(find(gitlab, { ...env, GITLAB_HOST: "git.corp" })).rejects.toThrow("glab auth login")
  await expect(find(other, env)).rejects.toMatchObject({ code: "source.refused" })
  await expect(find({}, env)).rejects.toThrow("gh auth login")
})

test("LINEAR_API_KEY goes to api.linear.app alone [39.11]", async () => {
  const env = { LINEAR_API_KEY: "a", LINEAR_BOT_KEY: "b", PATH: "/nowhere" }
  const linear = { type: "linear", api: "https://api.linear.app" }
  const other = { type: "linear", api: "https://api.linear.app.example" }
  expect(await find(linear, env)).toBe("a")
  await expect(find(linear, {})).rejects.toThrow("set LINEAR_API_KEY")
  await expect(find(other, env)).rejects.toMatchObject({ code: "source.refused" })
  expect(await find({ ...other, variable: "LINEAR_BOT_KEY" }, env)).toBe("b")
})

test("a source on Gitea takes the token of its own host, and names the way to another [39.11]", async () => {
  const env = { GITEA_TOKEN: "g", GITEA_HOST: "git.corp" }
  const gitea = { type: "gitea", api: "https://git.corp/api/v1" }
  expect(await find(gitea, env)).toBe("g")
  const other = find({ ...gitea, api: "https://evil.example/api/v1" }, env)
  await expect(other).rejects.toThrow("set GITEA_TOKEN and GITEA_HOST")
})

test.each([
  ["https://acme.atlassian.net", true],
  ["https://api.atlassian.com/ex/jira/1f0c", true],
  ["https://acme.atlassian.net.example", false],
  ["https://atlassian.net", false],
  ["https://jira.corp", false],
])("JIRA_API_TOKEN goes to Atlassian's hosts alone: %s [39.11]", async (api, isOwn) => {
  const env = { JIRA_API_TOKEN: "a", JIRA_BOT_TOKEN: "b", PATH: "/nowhere" }
  const jira = { type: "jira", api }
  if (isOwn) expect(await find(jira, env)).toBe("a")
  else await expect(find(jira, env)).rejects.toMatchObject({ code: "source.refused" })
  expect(await find({ ...jira, variable: "JIRA_BOT_TOKEN" }, env)).toBe("b")
})

test.each([
  ["slack", "SLACK_BOT_TOKEN", "https://slack.com/api", "https://slack.com.example/api"],
  ["discord", "DISCORD_BOT_TOKEN", "https://discord.com/api/v10", "https://cdn.discord.com/api"],
])("the token of %s goes to its own host alone: %s [39.11]", async (type, name, api, other) => {
  const env = { [name]: "a", SLACK_OWN_TOKEN: "b", PATH: "/nowhere" }
  expect(await find({ type, api }, env)).toBe("a")
  await expect(find({ type, api }, {})).rejects.toThrow(`set ${name}`)
  await expect(find({ type, api: other }, env)).rejects.toMatchObject({ code: "source.refused" })
  expect(await find({ type, api: other, variable: "SLACK_OWN_TOKEN" }, env)).toBe("b")
})

test("a clock that is set back keeps no token longer", async () => {
  const env: Record<string, string> = { GH_TOKEN: "a" }
  let nowMs = 1_000_000_000_000
  const token = findToken(GITHUB, env, () => nowMs)
  expect(await token()).toBe("a")
  env["GH_TOKEN"] = "b"
  nowMs += 60_000
  expect(await token()).toBe("a")
  nowMs -= 3_600_000
  expect(await token()).toBe("b")
})
