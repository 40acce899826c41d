/**
 * A landing told as a story, and what the laws promise of it whatever the story is.
 *
 * The gate copies what it sees, so that what was tested can be held against what landed.
 */
import { execFileSync } from "node:child_process"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import { LandingTest, type LandingTestOptions } from "./landing.ts"
import { type Files, TestRepo, type TestRepoOptions } from "./repo.ts"

export type Story = LandingTestOptions & {
  readonly repo?: TestRepoOptions
  /** Configures the repository before anything else is in it. */
  readonly settings?: Readonly<Record<string, string>>
  readonly base?: Files | ((repo: TestRepo) => void)
  readonly agent: Files | ((repo: TestRepo, worktree: string) => void)
  /** Commits of others on the target. */
  readonly main?: Files | ((repo: TestRepo) => void)
  /** Files that the user leaves in the checkout. */
  readonly user?: (repo: TestRepo) => void
}

/** The file system settings of the repository. */
const AS_IT_IS = ["sparseCheckout=false", "fileMode=true", "symlinks=true"].flatMap((setting) => [
  "-c",
  `core.${setting}`,
])
export const LINES = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n"
export const line = (n: number, text: string) => LINES.replace(`l${n}\n`, `${text}\n`)

const GATE = 'rm -rf "$HOME/tested" && cp -a . "$HOME/tested"'

/** Lands the story, and holds it against the laws. */
export async function lands(
  story: Story,
  check: (it: LandingTest, landing: Landing) => void | Promise<void> = () => {},
): Promise<void> {
  await tell(story, async (it, { id, before }) => {
    const landing = await it.run(id)
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED", reason: null })
    expectTestedIsLanded(it.repo, it.tip(it.target))
    before.expectKept(it)
    await check(it, landing)
  })
}

type Told = { readonly id: Landing["id"]; readonly before: Before }

/** Everything up to the landing, which is submitted and has not begun. */
export async function tell(
  story: Story,
  land: (it: LandingTest, told: Told, worktree: string) => Promise<void>,
): Promise<void> {
  using repo = new TestRepo(story.repo)
  for (const [key, value] of Object.entries(story.settings ?? {}))
    if (key.startsWith("filter.")) repo.userConfig(key, value)
    else repo.git("config", key, value)
  if (typeof story.base === "function") story.base(repo)
  else repo.commit({ "f.txt": "f\n", ".gitignore": "*.o\n", ...story.base }, "M0")
  await using it = new LandingTest(repo, { gate: GATE, ...story })
  const worktree = repo.worktree("feat")
  const id = it.submit({ branch: "feat" })
  if (typeof story.agent === "function") story.agent(repo, worktree)
  else repo.commit(story.agent, "A1", worktree)
  if (typeof story.main === "function") story.main(repo)
  else if (story.main) repo.commit(story.main, "M1")
  story.user?.(repo)
  await land(it, { id, before: new Before(it, worktree) }, worktree)
}

class Before {
  readonly #main: string
  readonly #status: string
  readonly #files: Record<string, string>
  readonly #commits: readonly string[]
  readonly #blobs: readonly string[]

  constructor({ repo, target }: LandingTest, worktree: string) {
    this.#main = repo.tip(target)
    this.#status = status(repo)
    this.#files = contents(repo.path)
    this.#commits = repo.git("rev-list", "feat", `^${target}`).split("\n").filter(Boolean)
    const changed = raw(worktree, "ls-files", "-z", "-mo", "--exclude-standard", "--deduplicate")
    this.#blobs = changed.flatMap((path) => hash(worktree, path)).filter(Boolean)
  }

  /** Nothing is lost, the target was fast-forwarded, and the user's bytes are the user's. */
  expectKept({ repo, target }: LandingTest): void {
    const reachable = repo.git("rev-list", "--objects", "--all", "--no-object-names").split("\n")
    expect(reachable).toEqual(expect.arrayContaining([...this.#commits, ...this.#blobs]))
    expect(repo.git("rev-list", this.#main, `^${target}`)).toBe("")
    const moved = raw(repo.path, "diff", ...PLAIN, this.#main, target)
    const isTheirs = ([path]: [string, string]) => !moved.includes(path)
    const own = Object.entries(this.#files).filter(isTheirs)
    expect(contents(repo.path)).toMatchObject(Object.fromEntries(own))
    expect(status(repo)).toBe(this.#status)
  }
}

function expectTestedIsLanded(repo: TestRepo, landed: string): void {
  const fresh = join(repo.folder, "fresh")
  repo.git("worktree", "add", "--quiet", "--no-checkout", "--detach", fresh, landed)
  repo.gitIn(fresh, ...AS_IT_IS, "read-tree", "--reset", "-u", landed)
  const tested = contents(join(repo.folder, "tested"))
  const tracked = Object.entries(contents(fresh))
  for (const [path, content] of tracked) expect([path, tested[path]]).toEqual([path, content])
  const others = Object.keys(tested).filter((path) => !(path in Object.fromEntries(tracked)))
  expect(others.filter((path) => !path.endsWith(".o"))).toEqual([])
  repo.git("worktree", "remove", "--force", fresh)
}

const status = (repo: TestRepo) =>
  repo.git(
    "-c",
    "status.relativePaths=true",
    "status",
    "--porcelain",
    "--untracked-files=all",
    "--ignored",
  )

const PLAIN = ["-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-relative"]

/** The output of git for `-z`, one char per byte. */
const raw = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, { cwd, encoding: "latin1" }).split("\0").filter(Boolean)

/** The hash of a file, as git would store it; empty if it is gone or no file. */
function hash(worktree: string, path: string): string[] {
  const found = lstatSync(under(worktree, Buffer.from(path, "latin1")), { throwIfNoEntry: false })
  if (!found?.isFile()) return []
  const content = readFileSync(under(worktree, Buffer.from(path, "latin1")))
  const args = ["hash-object", "--stdin", "--path", "x"]
  return [execFileSync("git", args, { cwd: worktree, input: content, encoding: "utf8" }).trim()]
}

/** Every file of a checkout beside git's own: its bytes, and whether it is a link or a program. */
function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (inside: Buffer) => {
    for (const { name } of readdirSync(under(folder, inside), BYTES)) {
      const path = inside.length === 0 ? name : Buffer.concat([inside, SLASH, name])
      const full = under(folder, path)
      const stat = lstatSync(full)
      if (stat.isDirectory() && path.toString() !== ".git") walk(path)
      const kind = stat.mode & 0o100 ? "program" : "file"
      if (stat.isSymbolicLink()) found[path.toString("latin1")] = `link ${readlinkSync(full)}`
      else if (stat.isFile() && path.toString() !== ".git")
        found[path.toString("latin1")] = `${kind} ${readFileSync(full, "latin1")}`
    }
  }
  walk(Buffer.alloc(0))
  return found
}

const BYTES = { encoding: "buffer", withFileTypes: true } as const
const SLASH = Buffer.from("/")
const under = (folder: string, path: Buffer) => Buffer.concat([Buffer.from(folder), SLASH, path])
