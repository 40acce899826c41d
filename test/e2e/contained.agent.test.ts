/** Containment by sandbox and by container, from outside: what an agent, its set-up and its gate can do, and what not. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test as vitest } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { containedBy, hidePrograms, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import type { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { waitFor } from "../support/wait-for.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

const KINDS = await listKinds(image)
for (const { kind, missing } of KINDS)
  if (missing !== undefined)
    console.warn(`SKIPPED: \`containment: ${kind}\` is not tested: ${missing}`)

/** Keeps what a script finds out in a file that lands. */
const noting = (lines: Readonly<Record<string, string>>) =>
  [
    ...Object.entries(lines).map(
      ([what, command]) =>
        `if (${command}) >/dev/null 2>&1; then echo "${what}: yes"; else echo "${what}: no"; fi >> found.txt`,
    ),
    "git add found.txt && git commit -qm found",
  ].join("\n")

const found = (fleet: Fleet) =>
  Object.fromEntries(
    fleet.repo
      .git("show", "main:found.txt")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(": ")),
  )

describe.each(KINDS)("in a $kind", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)
  const contained = containedBy(kind)

  test("an agent commits, its set-up and gate pass, and its work lands [43.1]", async () => {
    const repo = { setup: "echo ready > ready.log", check: "test -f ready.log" }
    await using fleet = contained({ repo: { ...repo, gate: "test -f a.txt && git status" } })
    writeFileSync(join(fleet.repo.path, ".git/info/exclude"), "*.log\n")
    const id = await fleet.start("echo a > a.txt && git add . && git commit -qm 'my words'")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log()[0]).toBe("my words")
    expect(fleet.leftovers()).toEqual([])
  })

  test.for([{ network: false }, { network: [] }])(
    "an agent with `network: $network` reads and writes nothing of the user's or of Coppice's [43.3, 43.4, 43.5, 43.24]",
    async ({ network }) => {
      await using fleet = contained({}, { network })
      const secret = join(fleet.home.path, ".ssh/id_ed25519")
      mkdirSync(join(fleet.home.path, ".ssh"))
      writeFileSync(secret, "secret")
      const { path } = fleet.repo
      const asked = {
        "the key of the user": `cat ${secret}`,
        "the user's home": `touch ${fleet.home.path}/.bashrc && false`,
        "the checkout": `touch ${path}/evil.txt; ls ${path}/coppice.yml`,
        "the configuration of the repository": `cat ${path}/.git/config`,
        "hooks of the repository": `echo x > ${path}/.git/hooks/post-checkout`,
        "the store": `find / -xdev -name coppice.db | grep .`,
        "the token of the daemon": `find / -xdev -name daemon.json | grep .`,
        "other programs": `test -e /proc/${process.pid}/environ`,
        "passwords of the system": "cat /etc/shadow",
        "system programs": "touch /usr/bin/evil",
        "the daemon's port": `"\${COPPICE_PROGRAM:-node}" -e 'fetch(process.env.COPPICE_URL).then(() => process.exit(0), () => process.exit(1))'`,
        "the place of its objects": "cd $(git rev-parse --git-dir) && mv objects moved",
        "its worktree": "touch mine.txt",
      }
      const id = await fleet.start(noting(asked))
      expect(await fleet.until(id)).toMatchObject({ state: "complete" })
      const none = Object.keys(asked).map((what) => [what, "no"])
      expect(found(fleet)).toEqual({
        ...Object.fromEntries(none),
        "the daemon's port": network === false ? "no" : "yes",
        "its worktree": "yes",
      })
      for (const file of [join(fleet.home.path, ".bashrc"), join(path, "evil.txt")])
        expect(existsSync(file), "its files elsewhere vanish with it").toBe(false)
      expect(readdirSync(join(path, ".git/hooks"))).not.toContain("post-checkout")
    },
  )

  test("a folder that is open in the shell of the daemon's start is not open for an agent [43.45]", async () => {
    await using fleet = contained()
    const shell = ["-c", 'exec 77< /; exec "$@"', "bash", process.execPath, LAUNCHER, "up", "-d"]
    execFileSync("bash", shell, { cwd: fleet.repo.path, env: fleet.env })
    const asked = { "the folder": "test -e /proc/self/fd/77", "its own": "test -e /proc/self/fd/1" }
    await fleet.until(await fleet.start(noting(asked)))
    expect(found(fleet)).toEqual({ "the folder": "no", "its own": "yes" })
  })

  test("a sub-task of a contained agent is contained [45.4]", async () => {
    await using fleet = contained()
    const secret = join(fleet.home.path, "secret")
    writeFileSync(secret, "secret")
    const fenced = {
      runtime: "command",
      command: 'exec sh "$STEPS/1"',
      env: { STEPS: fleet.steps },
      ...kind.settings({ read: [fleet.steps] }),
      tasks: { propose: "allow" },
    }
    fleet.configure({ repo: { gate: false }, agents: { fenced } })
    const asks = noting({ "the secret": `cat ${secret}`, "its worktree": "touch mine.txt" })
    fleet.step(
      1,
      `if [ "$COPPICE_TASK" = 2 ]; then\n${asks}\nelse coppice agent propose_task --no-report A b; fi`,
    )
    const id = await fleet.start("plan", "--agent", "fenced")
    expect(await fleet.until(id)).toMatchObject({ state: "complete", children: ["2"] })
    expect(await fleet.until("2")).toMatchObject({ state: "complete", agent: "fenced" })
    expect(found(fleet)).toEqual({ "the secret": "no", "its worktree": "yes" })
  })

  test("a reviewer reads the work, and changes no file of it [47.8]", async () => {
    await using fleet = contained()
    const critic = {
      runtime: "command",
      command: 'exec sh "$STEPS/review"',
      env: { STEPS: fleet.steps },
      ...kind.settings({ read: [fleet.steps] }),
    }
    fleet.configure({
      repo: { gate: false },
      sh: { review: { by: "critic" } },
      agents: { critic },
    })
    writeFileSync(
      join(fleet.steps, "review"),
      `for change in "touch new.txt" "echo x >> work.txt" "rm work.txt" "touch .git"; do
         sh -c "$change" 2>/dev/null && echo "CHANGES: $change" && exit
       done
       [ "$(git show HEAD:work.txt)" = w ] && cat work.txt >/dev/null && echo APPROVE`,
    )
    const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
    expect(task).toMatchObject({ state: "complete", reviews: [{ state: "approved" }] })
  })

  test("an agent moves no ref, and its configuration, hooks and links of git reach nothing [43.6, 43.7]", async () => {
    await using fleet = contained({ repo: { gate: "true" } })
    fleet.repo.git("branch", "other")
    const before = fleet.repo.git("for-each-ref", "refs/heads/main", "refs/heads/other")
    const config = readFileSync(join(fleet.repo.path, ".git/config"), "utf8")
    const marker = join(fleet.home.path, "ran")
    const hook = `printf '#!/bin/sh\\ntouch ${marker}\\n'`
    const id = await fleet.start(`
      own=$(git rev-parse --git-dir)
      echo a > a.txt && git add . && git commit -qm work
      git update-ref refs/heads/main HEAD && git update-ref refs/heads/other HEAD
      git config core.fsmonitor "touch ${marker}" ; git config core.hooksPath /tmp
      for hook in post-checkout reference-transaction post-index-change; do
        mkdir -p $own/hooks && ${hook} > $own/hooks/$hook && chmod +x $own/hooks/$hook
      done
      echo ${fleet.repo.path}/.git > $own/commondir
      echo ${fleet.repo.path}/.git > $own/gitdir
      echo /nowhere > $own/objects/info/alternates
      rm -f .git ; mv .git elsewhere ; echo "gitdir: ${fleet.repo.path}/.git" > .git
      rm $own/commondir
      exit 75`)
    expect(await fleet.until(id)).toMatchObject({ state: "stuck" })
    expect(fleet.repo.git("for-each-ref", "refs/heads/main", "refs/heads/other")).toBe(before)
    expect(readFileSync(join(fleet.repo.path, ".git/config"), "utf8")).toBe(config)
    await fleet.json(TaskDocument, ["cancel", id])
    expect(existsSync(marker)).toBe(false)
    expect(fleet.repo.git("rev-parse", "main")).toBe(fleet.repo.git("rev-parse", "HEAD"))
  })

  test("a repository of the agent's own among its files runs nothing outside [43.7]", async () => {
    await using fleet = contained({ repo: { gate: "true" } })
    const marker = join(fleet.home.path, "ran")
    const id = await fleet.start(`
      git init -q nested && cd nested && echo x > x && echo '* filter=e' > .gitattributes
      git add . && git commit -qm inner && echo y > x
      for key in filter.e.clean filter.e.smudge core.fsmonitor core.sshCommand diff.external; do
        git config $key "touch ${marker}; cat"
      done
      cd .. && git add nested && git commit -qm link`)
    await fleet.until(id)
    for (const args of [
      ["diff", id],
      ["why", id],
      ["cancel", id],
      ["delete", id],
    ])
      await fleet.coppice(...args)
    expect(existsSync(marker)).toBe(false)
  })

  test("an agent's processes end with it, however they hide [43.8]", async () => {
    await using fleet = contained()
    const id = await fleet.start(`
      setsid env -i /bin/sh -c '(sleep 48151.62342 &) ; sleep 48151.62342' > /dev/null 2>&1 &
      echo a > a.txt; until [ -e "${fleet.steps}/go" ]; do sleep 0.05; done`)
    await waitFor("two hidden processes", () => listOf("48151.62342").filter(isSleep).length === 2)
    writeFileSync(join(fleet.steps, "go"), "")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(listOf("48151.62342")).toEqual([])
  })

  test("a gate and a set-up see no more than the agent [43.9]", async () => {
    await using fleet = contained()
    const secret = join(fleet.home.path, "secret")
    writeFileSync(secret, "secret")
    const look = `! test -e ${secret} && ! test -e ${fleet.repo.path}/.git/config`
    fleet.configure({
      repo: { gate: look, setup: look, check: look },
      sh: {
        ...kind.settings({ read: [fleet.steps] }),
        landing: { gate_in: "candidate" },
      },
    })
    const id = await fleet.start("echo a > a.txt")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  })

  test("a set-up of landed code fills a cache of all tasks, and an agent changes a copy [43.16]", async () => {
    await using fleet = contained()
    fleet.configure({
      repo: {
        setup: "cp ~/.npm/kept seen.log; ls ~/.npm >> seen.log; cat version > ~/.npm/kept; true",
        gate: "! test -e ~/.npm/kept",
      },
      sh: {
        ...kind.settings({ read: [fleet.steps], caches: ["~/.npm"] }),
        landing: { gate_in: "candidate" },
      },
    })
    writeFileSync(join(fleet.repo.path, ".git/info/exclude"), "*.log\n")
    fleet.repo.commit({ version: "landed\n" }, "version")
    const attack = "echo evil > version; for name in kept new; do echo evil > ~/.npm/$name; done"
    const one = await fleet.start(`cat ~/.npm/kept > a.txt; ${attack}`)
    expect(await fleet.until(one)).toMatchObject({ state: "complete" })
    expect(fleet.repo.git("show", "main:a.txt"), "it reads the set-up's").toBe("landed")
    fleet.repo.commit({ version: "next\n" }, "next version")
    const two = await fleet.start("cat seen.log ~/.npm/kept > b.txt; echo mine > ~/.npm/mine")
    expect(await fleet.until(two)).toMatchObject({ state: "complete" })
    expect(fleet.repo.git("show", "main:b.txt")).toBe("landed\nkept\nnext")
  })

  test("with `caches_written_by: all`, agents of all tasks share a cache, and no gate sees it [43.16]", async () => {
    await using fleet = contained()
    const shared = { caches: ["~/.npm"], caches_written_by: "all" } as const
    fleet.configure({
      repo: { setup: "cp ~/.npm/kept seen.log || true", gate: "! test -e ~/.npm/kept" },
      sh: kind.settings({ read: [fleet.steps], ...shared }),
    })
    writeFileSync(join(fleet.repo.path, ".git/info/exclude"), "*.log\n")
    const one = await fleet.start("echo a > a.txt; echo package > ~/.npm/kept")
    expect(await fleet.until(one)).toMatchObject({ state: "complete" })
    const two = await fleet.start("cat seen.log ~/.npm/kept > b.txt")
    expect(await fleet.until(two)).toMatchObject({ state: "complete" })
    expect(fleet.repo.git("show", "main:b.txt")).toBe("package\npackage")
    expect(existsSync(join(fleet.home.path, ".npm"))).toBe(false)
  })

  test("work that conflicts is handed back, rebased by the agent's own git, and lands [43.2]", async () => {
    await using fleet = contained({ repo: { gate: "true" } })
    fleet.step(1, "echo mine > a.txt && git add . && git commit -qm mine && exit 75")
    fleet.step(2, "echo more > b.txt && git add . && git commit -qm more")
    fleet.step(
      3,
      "git rebase -q main || { echo both > a.txt; git add . && GIT_EDITOR=true git rebase --continue; }",
    )
    const id = await fleet.start("x")
    await fleet.until(id, ({ state }) => state === "stuck")
    fleet.repo.commit({ "a.txt": "theirs\n" }, "theirs")
    await fleet.json(TaskDocument, ["restart", id, "go on", "--detach"])
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log().slice(0, 3)).toEqual(["more", "mine", "theirs"])
    expect(fleet.repo.git("show", "main:a.txt")).toBe("both")
  })

  test("after a red gate the agent goes on from the rebased worktree [43.2]", async () => {
    const gate = "! test -f a.txt || test -f good.txt"
    await using fleet = contained({ repo: { gate } })
    fleet.step(1, "echo a > a.txt && git add . && git commit -qm first && exit 75")
    fleet.step(2, "true")
    fleet.step(
      3,
      "git status --porcelain > seen.txt; echo b > good.txt; git add . && git commit -qm second",
    )
    const id = await fleet.start("x")
    await fleet.until(id, ({ state }) => state === "stuck")
    fleet.repo.commit({ "other.txt": "x\n" }, "theirs")
    await fleet.json(TaskDocument, ["restart", id, "go on", "--detach"])
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log().slice(0, 3)).toEqual(["second", "first", "theirs"])
    expect(fleet.repo.git("show", "main:seen.txt")).toBe("?? seen.txt")
  })

  test("commits that git refuses stop the task, and the repository keeps none of it [43.10]", async () => {
    await using fleet = contained()
    const id = await fleet.start(`
      echo a > a.txt && git add . && git commit -qm work
      object=$(git rev-parse HEAD:a.txt)
      rm -f $(git rev-parse --git-dir)/objects/$(echo $object | cut -c1-2)/$(echo $object | cut -c3-)`)
    const task = await fleet.until(id)
    expect(task).toMatchObject({ state: "stuck", reason: { code: "failed" } })
    expect(task.reason?.text).toContain("cannot be taken over")
    expect(fleet.log()[0]).toBe("configure")
  })

  test("an agent that stops in the middle of a merge must finish it [43.10]", async () => {
    await using fleet = contained()
    const id = await fleet.start(`
      git checkout -q -b side && echo a > a.txt && git add . && git commit -qm a
      git checkout -q - && echo b > a.txt && git add . && git commit -qm b
      git merge -q side; true`)
    const { reason } = await fleet.until(id)
    expect(reason?.text).toContain("a merge is in progress")
  })

  test("an agent's processes end when the daemon is killed, however they hide [43.8]", async () => {
    await using fleet = contained()
    await fleet.start(`
      setsid env -i /bin/sh -c '(sleep 48151.62343 &) ; sleep 48151.62343' > /dev/null 2>&1 &
      sleep 48151.62343`)
    const sleepers = () => listOf("48151.62343")
    await waitFor("three processes", () => sleepers().filter(isSleep).length === 3)
    await fleet.kill()
    await waitFor("their end", () => sleepers().length === 0)
  })

  test("commits of an agent whose daemon was killed are rescued when its task is cancelled [43.11]", async () => {
    await using fleet = contained()
    const id = await fleet.start("echo a > a.txt && git add . && git commit -qm early && sleep 600")
    const { worktree } = (await fleet.client.show(id)).repos[0] ?? {}
    await waitFor("the commit", async () => {
      const state = await fleet.client.show(id)
      const path = state.repos[0]?.worktree ?? worktree
      return path && existsSync(join(path, "a.txt"))
    })
    await waitFor("the agent sleeps", () => listOf("sleep\x00600").length > 0)
    await fleet.kill()
    await fleet.json(TaskDocument, ["cancel", id])
    const subjects = await waitFor("the rescue", () => {
      const all = fleet.repo.git("log", "--all", "--format=%s")
      return all.includes("early") && all
    })
    expect(subjects).toContain("early")
  })

  test("no person is put into the agent's program outside of its sandbox [43.12]", async () => {
    await using fleet = contained()
    const id = await fleet.start("echo what now; exit 75")
    await fleet.until(id)
    const { code, stdout, stderr } = await fleet.coppice("attach", id)
    expect({ code, text: stdout + stderr }).toMatchObject({
      code: 2,
      text: expect.stringContaining("contained"),
    })
  })
})

vitest(
  "without bubblewrap a task is refused before it starts, with what to install [43.13]",
  async () => {
    await using fleet = containedBy(KINDS[0]!)()
    hidePrograms(fleet, ["bwrap"])
    const { code, stderr } = await fleet.coppice("run", "echo a > a.txt")
    expect(code).not.toBe(0)
    expect(stderr).toContain("there is no program bwrap")
    expect(stderr).toContain("apt-get install bubblewrap")
  },
)

/** The command lines that end with a word. */
const listOf = (word: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandLineOf)
    .filter((line) => line.includes(`${word}\0`))

const isSleep = (line: string) => line.startsWith("sleep\0")

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return "" // the process has ended
  }
}
