/** The repositories that agents work in. */
import { expect, test } from "vitest"
import { config, problems } from "../../test/support/config.ts"
import { repoOfAgent } from "./working-directories.ts"

test("`working_directory` as text is its root, and a misspelt key beside it is named", () => {
  const directory = (file: string) => config(`agents: { a: { working_directory: ${file} } }`).agents
  expect(directory("../other")).toEqual(directory("{ root: ../other }"))
  const wrong = problems("version: 1\nagents: { a: { working_directory: { rot: x } } }")
  expect(wrong).toEqual({
    "agents.a.working_directory.rot": "is not a known key: did you mean `root`?",
  })
  expect(problems("version: 1\nagents: { a: { working_directory: '' } }")).toEqual({
    "agents.a.working_directory": expect.stringContaining("must not be empty"),
  })
})

test("an agent's folder is one of the repositories: a new one, or the one that lies there", () => {
  const text = `
repos: { app: { path: ./app/, gate: make } }
agents:
  a: { working_directory: { root: app, default_branch: dev } }
  b: { working_directory: { root: ../other, auto_clone: "https://x:y@example.com/o.git", clone_depth: 1 } }
  c: { workspace: { strategy: static } }`
  const { repos, agents } = config(text)
  expect(repos).toMatchObject([
    { name: "app", path: "./app/", gate: "make", target: "dev", clone: undefined },
    { name: "other", path: "../other", clone: { url: "https://x:y@example.com/o.git", depth: 1 } },
  ])
  expect(agents.map((agent) => repoOfAgent(config(text), agent)?.name)).toEqual([
    "app",
    "other",
    "app",
  ])
  expect(agents[2]?.landing.mode, "there is nothing to land").toBe("none")
})

test.each(["--upload-pack=touch x", "ext::sh -c x", "a b", "fd::17"])(
  "a repository is not cloned from what git would take for something else: %s",
  (url) => {
    const text = `version: 1\nagents: { a: { working_directory: { auto_clone: ${JSON.stringify(url)} } } }`
    const found = problems(text)
    expect(Object.keys(found)).toEqual(["agents.a.working_directory.auto_clone"])
    expect(Object.values(found).join(), "it may hold a password").not.toContain(url)
  },
)

test("two definitions of one folder must agree", () => {
  const found = problems(`
version: 1
repos: { app: { target: main } }
agents:
  a: { working_directory: { default_branch: dev, clone_depth: 3 } }
  b: { workspace: { strategy: static }, landing: { mode: merge } }`)
  expect(Object.keys(found).sort()).toEqual([
    "agents.a.working_directory.clone_depth",
    "agents.b.landing.mode",
  ])
  const differs = problems(`
version: 1
repos: { app: { target: main } }
agents: { a: { working_directory: { default_branch: dev } } }`)
  expect(differs["agents.a.working_directory"]).toContain("`repos.app`")
})
