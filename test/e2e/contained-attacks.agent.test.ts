/** Law 14 behind a fence: an attack on git's data changes nothing that a person, another task or Coppice reads. */
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test as vitest } from "vitest"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { ATTACKS, type Places } from "../support/attacks.ts"
import { containedBy, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import type { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

const KINDS = await listKinds(image)

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/** The agent lands this after its attack. */
const HARMLESS =
  'echo "$COPPICE_TASK" > "n$COPPICE_TASK.txt" && git add n*.txt && git commit -qm work'

describe.each(KINDS)("in a $kind", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)
  let it: Attacked

  beforeAll(async () => {
    it = new Attacked(containedBy(kind)({ repo: { gate: "! grep -l EVIL code-*.txt" } }))
    await it.fleet.until(await it.fleet.start(HARMLESS))
  })
  afterAll(async () => {
    await it.fleet[Symbol.asyncDispose]()
  })

  test.each(ATTACKS)(
    "$name: it gains nothing [43.4, 43.6, 43.7, 43.20]",
    async ({ script, ends, remains, leaves }) => {
      const { fleet } = it
      const { repo } = fleet
      const before = it.read()
      const target = repo.git("rev-parse", "main")
      const id = await fleet.start(`${script(it.places)}\n${HARMLESS}`)
      const task = await fleet.until(id, isOver)
      if (ends === undefined) expect(task).toMatchObject({ state: "complete" })
      if (ends === "unlanded") expect(repo.git("rev-parse", "main")).toBe(target)
      if (leaves) expect(repo.git(...leaves[0])).toBe(leaves[1])
      await Promise.all([fleet.client.diff(id, {}), fleet.client.why(id)])
      const { worktree } = task.repos[0] ?? {}
      if (remains && worktree) rmSync(join(worktree, remains), { recursive: true })
      await fleet.coppice("delete", id)
      await waitFor("the removal of its worktree", () => it.worktreesOf(id).length === 0)
      expect(it.read()).toEqual(before)
      expect(repo.git("diff", "-GEVIL", "--name-only", EMPTY_TREE, "main", "code-*.txt")).toBe("")
    },
  )

  test("after all of them the repository is whole, also for the next daemon [43.4, 43.6, 43.7]", async () => {
    const { fleet } = it
    const before = it.read()
    await fleet.coppice("down")
    await fleet.coppice("up", "-d")
    await fleet.coppice("gc")
    await fleet.until(await fleet.start(HARMLESS))
    expect(it.read()).toEqual(before)
    fleet.repo.git("fsck", "--connectivity-only", "main")
    expect(
      fleet.leftovers().filter((path) => !/(^| )(refs\/heads\/(other|mine)|.*mine)$/.test(path)),
    ).toEqual([])
  })
})

const isOver = ({ state, landing }: TaskDocument): boolean =>
  ["complete", "stuck", "failed", "merge_failed", "cancelled"].includes(state) ||
  landing?.outcome === "TOO_MUCH_LEFT"

/** A fleet, and what the user has around it. */
class Attacked {
  readonly fleet: Fleet
  readonly places: Places

  constructor(fleet: Fleet) {
    this.fleet = fleet
    const { repo, home } = fleet
    fleet.extra["TOKEN_OF_DAEMON"] = "secret"
    const make = (name: string) => {
      mkdirSync(join(home.path, name), { recursive: true })
      return join(home.path, name)
    }
    this.places = {
      repo: repo.path,
      mine: join(repo.folder, "mine"),
      home: home.path,
      state: join(home.path, "state/coppice"),
      markers: make("markers"),
      elsewhere: make("elsewhere"),
    }
    repo.git("worktree", "add", "-q", "-b", "mine", this.places.mine)
    repo.git("branch", "other")
    writeFileSync(join(repo.path, ".git/info/exclude"), ".env\nnotes.txt\n")
    repo.write({ "notes.txt": "of the person\n" })
    repo.write({ ".env": "of the person\n" }, this.places.mine)
    writeFileSync(join(make(".ssh"), "key"), "secret\n")
    writeFileSync(join(home.path, ".bashrc"), "")
  }

  worktreesOf(id: string): string[] {
    return globSync(`worktrees/${id}-*`, { cwd: join(this.places.repo, ".git") })
  }

  /** All that a person, another task or Coppice reads and that no landing changes. */
  read(): Record<string, string> {
    const { repo, mine, home, markers, elsewhere } = this.places
    const git = join(repo, ".git")
    const files = [
      ...globSync(["config*", "HEAD", "shallow", "info/**", "hooks/**", "objects/info/**"], {
        cwd: git,
      }).map((name) => join(git, name)),
      ...globSync(["worktrees/*", "worktrees/mine/*"], { cwd: git }).map((name) => join(git, name)),
      ...globSync([".*", "*"], { cwd: mine }).map((name) => join(mine, name)),
      ...[".ssh/*", ".bashrc", ".gitconfig", "state/coppice/*"].flatMap((name) =>
        globSync(join(home, name)),
      ),
      ...globSync(`${dirname(repo)}/*`),
      join(repo, "coppice.yml"),
      join(repo, "notes.txt"),
    ]
    return {
      ...Object.fromEntries(files.map((file) => [file, read(file)])),
      branches: this.fleet.repo.git("for-each-ref", "--format=%(refname) %(symref)", "refs/heads"),
      others: this.fleet.repo.git("for-each-ref", "refs/heads/other", "refs/heads/mine"),
      trust: globSync(join(home, "state/coppice/*/trust.json")).map(read).join(),
      markers: readdirSync(markers).join(),
      elsewhere: readdirSync(elsewhere).join(),
    }
  }
}

const read = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? readFileSync(file, "latin1") : String(found?.isDirectory())
}
