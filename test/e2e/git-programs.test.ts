/** Law 14, from outside: what an agent writes into git's configuration runs nothing through our git. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { shellWord } from "../../src/base/text/shell-word.ts"
import { Fleet } from "../support/fleet.ts"

const HOOKS = [
  ...["post-checkout", "post-commit", "post-index-change", "pre-commit", "reference-transaction"],
  ...[
    "post-merge",
    "pre-rebase",
    "post-rewrite",
    "commit-msg",
    "prepare-commit-msg",
    "pre-auto-gc",
  ],
]

/** Each leaves a file of its name in `$MARKERS` when any program runs it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "filter.evil.clean": "cat",
  "filter.evil.smudge": "cat",
  "filter.evil2.process": "cat",
  "merge.evil.driver": "true",
  "diff.evil.command": "true",
  "diff.evil.textconv": "cat",
  "diff.external": "true",
  "core.fsmonitor": "true",
  "core.sshCommand": "false",
  "core.gitProxy": "false",
  "core.editor": "true",
  "core.pager": "cat",
  "core.askPass": "true",
  "core.alternateRefsCommand": "true",
  "sequence.editor": "true",
  "gpg.program": "false",
  "credential.helper": "true",
  "interactive.diffFilter": "cat",
  "trailer.evil.command": "true",
  "remote.origin.uploadpack": "false",
  "hook.evil.command": "true",
}
const SETTINGS: Readonly<Record<string, string>> = {
  "commit.gpgSign": "true",
  "log.showSignature": "true",
  "protocol.ext.allow": "always",
  "protocol.allow": "always",
  "maintenance.auto": "true",
  "gc.auto": "1",
}

/** How an agent has git take a setting. */
const PLACES = {
  "the repository's configuration": 'git config --add "$1" "$2"',
  "its worktree's configuration":
    'git config extensions.worktreeConfig true; git config --worktree --add "$1" "$2"',
  "a file that is included":
    'git config include.path "$STEPS/included"; git config --file "$STEPS/included" --add "$1" "$2"',
}

const quote = (text = "") => shellWord(text)

const ATTRIBUTES = "*.txt filter=evil merge=evil diff=evil\n*.bin filter=evil2\n"

test.each(Object.entries(PLACES))(
  "no program that an agent names in %s is run [14.1]",
  async (_place, put) => {
    await using fleet = new Fleet({ repo: { gate: "test -f a.txt" } })
    const { repo } = fleet
    const markers = join(fleet.home.path, "markers")
    mkdirSync(markers)
    const program = (key: string, then: string) => `sh -c ': > ${markers}/${key}; ${then}'`
    const hooks = join(fleet.home.path, "hooks")
    mkdirSync(hooks)
    for (const hook of HOOKS) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\n: > ${markers}/hook-${hook}\n`)
      chmodSync(join(hooks, hook), 0o755)
    }
    const named = Object.entries(PROGRAMS).map(([key, then]) => [key, program(key, then)])
    const events = HOOKS.map((event) => ["hook.evil.event", event])
    const all = [...named, ...events, ...Object.entries(SETTINGS), ["core.hooksPath", hooks]]
    const origin = repo.clone("origin.git", "--bare")
    const remotes = [
      ["remote.origin.url", "ssh://localhost/nowhere"],
      [`url.ext::${program("ext", "false")}.insteadOf`, "ext-here:"],
    ]
    const script = [...all, ...remotes].map((pair) => `put ${pair.map(quote).join(" ")}`)
    repo.commit({ "a.txt": "1\n2\n3\n4\n5\n", "b.bin": "b\n" }, "M1")
    writeFileSync(
      join(fleet.steps, "arm.sh"),
      `put() { ${put}; }\n${script.join("\n")}\nprintf '${ATTRIBUTES.replaceAll("\n", "\\n")}' > .gitattributes\n`,
    )
    const first = await fleet.start(`sed -i s/1/one/ a.txt; echo new > n.txt; . "$STEPS/arm.sh"`)
    expect(await fleet.until(first)).toMatchObject({ state: "complete" })

    // The main checkout has the attributes now, and other tasks meet the settings.
    repo.write({ "a.txt": "one\n2\n3\n4\nfive\n", "b.bin": "B\n" })
    await fleet.coppice("worktree", "add", "by-hand")
    const second = await fleet.start("sed -i s/3/three/ a.txt; echo c > b.bin")
    await fleet.coppice("diff", second)
    await fleet.until(second, ({ state }) => state !== "working" && state !== "registered")
    for (const url of [origin, `ext::${program("ext", "false")}`, "ext-here:x"]) {
      repo.git("config", "--file", ".git/config", "--replace-all", "remote.origin.url", url)
      await fleet.until(await fleet.start("true"))
    }
    await fleet.coppice("land", "by-hand", "--dry-run")
    await fleet.coppice("status")
    await fleet.coppice("doctor")
    await fleet.coppice("gc")
    await fleet.coppice("cancel", second)
    expect(readdirSync(markers)).toEqual([])
  },
)

test("a setting that Coppice does not know keeps work waiting until a person approves it [14.10]", async () => {
  await using fleet = new Fleet({ repo: { gate: "test -f n.txt" } })
  const task = await fleet.start("echo new > n.txt; git config lfs.next.year 'sh -c x'")
  await expect
    .poll(async () => (await fleet.coppice("why", task)).stdout, { timeout: 20_000 })
    .toContain("sets lfs.next.year, which Coppice does not know")
  expect(await fleet.coppice("run", "another")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("coppice trust"),
  })
  expect((await fleet.coppice("trust", "--yes")).stdout).toContain("lfs.next.year: sh -c x")
  expect(await fleet.until(task)).toMatchObject({ state: "complete" })
})

test("a task hears of a setting that its agent changed for all checkouts, and so does `status` [5.7]", async () => {
  await using fleet = new Fleet({})
  const task = await fleet.start("git config core.hooksPath .husky/_; git config user.name Robot")
  await fleet.until(task)
  const { stdout } = await fleet.coppice("events", task)
  expect(stdout).toContain("repo.setting_changed")
  const status = (await fleet.coppice("status")).stdout
  expect(status).toMatch(/problem +core.hookspath .* was not set and is ".husky\/_" since/)
  expect(status).toContain(`is "Robot" since`)
  expect((await fleet.coppice("doctor")).stdout).toContain("core.hookspath")
})
