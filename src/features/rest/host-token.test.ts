/** The token for a host, and the hosts that it goes to. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findHostToken } from "./host-token.ts"

/** A PATH with a `glab` that knows one host, and prints an empty line for the others. */
function pathWithGlab(host: string): string {
  const folder = mkdtempSync(join(tmpdir(), "glab-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = `#!/bin/sh\n[ "$*" = "config get token --host ${host}" ] && echo of-glab || echo\n`
  writeFileSync(join(folder, "glab"), script)
  chmodSync(join(folder, "glab"), 0o755)
  return folder
}

const MISSING = { missing: expect.stringMatching(/no variable has one, and `glab/) }

type Env = Readonly<Record<string, string>>

const find = (host: string, env: Env) =>
  findHostToken({ type: "gitlab", api: `https://${host}/api/v4`, variable: undefined }, env)

const findGitea = (host: string, env: Env) =>
  findHostToken({ type: "gitea", api: `https://${host}/api/v1`, variable: undefined }, env)

test("the usual variable and `glab` serve GitLab", async () => {
  expect(await find("gitlab.com", { GITLAB_TOKEN: "a\n" })).toEqual({ token: "a" })
  const glab = { PATH: pathWithGlab("git.corp") }
  expect(await find("git.corp", glab)).toEqual({ token: "of-glab" })
  expect(await find("gitlab.com", glab)).toEqual(MISSING)
})

test.each(["git.corp", "https://git.corp", "https://git.corp:443/"])(
  "GITLAB_TOKEN goes only to the host of GITLAB_HOST: %s [42.14]",
  async (own) => {
    const env = { GITLAB_TOKEN: "a", GITLAB_HOST: own, PATH: pathWithGlab("none") }
    expect(await find("git.corp", env)).toEqual({ token: "a" })
    for (const other of ["gitlab.com", "evil.example", "git.corp.evil.example", "git.corp:8443"])
      expect(await find(other, env)).toEqual(MISSING)
  },
)

test("without GITLAB_HOST it goes only to gitlab.com, and no token of GitHub goes to a GitLab [42.14]", async () => {
  const env = { GITLAB_TOKEN: "a", PATH: pathWithGlab("none") }
  expect(await find("git.corp", env)).toEqual(MISSING)
  const ofGitHub = { GH_TOKEN: "h", GH_ENTERPRISE_TOKEN: "e", PATH: pathWithGlab("none") }
  for (const host of ["gitlab.com", "github.com", "git.corp"])
    expect(await find(host, ofGitHub)).toEqual(MISSING)
})

test("GITEA_TOKEN and FORGEJO_TOKEN go only to the host of their own variable, else to a public one [42.14]", async () => {
  const env = { GITEA_TOKEN: "g", FORGEJO_TOKEN: "f", GITLAB_TOKEN: "l", GH_TOKEN: "h" }
  const tokens = async (more: Env, hosts: readonly string[]) => {
    const found = await Promise.all(hosts.map((host) => findGitea(host, { ...env, ...more })))
    return found.map((one) => ("token" in one ? one.token : one.missing))
  }
  const hosts = ["gitea.com", "codeberg.org", "git.corp"]
  const none = (host: string) => `no variable has one for ${host}`
  expect(await tokens({}, hosts)).toEqual(["g", "f", none("git.corp")])
  const corp = "https://git.corp:3000/"
  expect(
    await tokens({ GITEA_HOST: corp }, ["gitea.com", "codeberg.org", "git.corp:3000"]),
  ).toEqual([...[none("gitea.com"), "f", "g"]])
  for (const port of ["", ":9999"])
    expect(await tokens({ GITEA_HOST: corp }, [`git.corp${port}`])).toEqual([
      none(`git.corp${port}`),
    ])
  expect(await tokens({ FORGEJO_HOST: "git.corp" }, hosts)).toEqual([
    "g",
    none("codeberg.org"),
    "f",
  ])
  expect(await find("gitlab.com", { GITEA_TOKEN: "g", PATH: pathWithGlab("none") })).toEqual(
    MISSING,
  )
})
