/**
 * House rules, checked like any other promise.
 *
 * A file may import from its own folder and from those that its folder lists here; reading this
 * table is reading the architecture. There are no exceptions, and no list to put one on.
 */
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { readSources, type Source } from "./support/source.ts"

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  process: ["core"],
  git: ["core", "process"],
  store: ["core"],
  workspaces: ["core", "git", "process", "store"],
  runtimes: ["core", "process"],
  rest: [],
  forges: ["core", "rest"],
  sources: ["core", "process", "rest"],
  landing: ["core", "git", "process", "store", "workspaces", "forges"],
  jobs: ["core", "git", "process", "store", "workspaces", "runtimes"],
  client: ["core"],
  cli: ["core", "client"],
  homes: ["core", "store", "client"],
  mcp: ["core", "client"],
  daemon: [
    "core",
    "process",
    "git",
    "store",
    "workspaces",
    "runtimes",
    "sources",
    "forges",
    "rest",
    "landing",
    "jobs",
    "client",
    "homes",
  ],
  torture: ["core", "process", "client"],
  dashboard: ["core", "client"],
  // src/index.ts, the library, and src/launch.ts, which puts the program together.
  ".": ["core", "process", "client", "cli", "homes", "mcp", "daemon", "torture"],
}

/** The layers of src/git: each may import from itself and from those before it. */
const GIT_LAYERS: Readonly<Record<string, string>> = {
  start: "starts a git, with its environment and limits",
  ask: "questions to git: they write nothing but scratch files",
  change: "writes objects, indexes, refs or worktrees",
}

/** The few places that may name certain things. */
const RESERVED: readonly { what: RegExp; by: RegExp; rule: string }[] = [
  {
    what: /^src\/runtimes\/(?!runtime\.ts$)|^src\/workspaces\/(git-worktree|static)\b|^src\/sources\/(?!source\.ts$)/,
    by: /^src\/(daemon|runtimes|sources|workspaces)\//,
    rule: "only the daemon names concrete runtimes, strategies and sources",
  },
  {
    what: /^src\/forges\/(?!(forge|errors)\.ts$)/,
    by: /^src\/(daemon|forges)\//,
    rule: "only the daemon names concrete forges",
  },
  { what: /^@octokit\//, by: /^src\/rest\/github\.ts$/, rule: "one file sends requests to GitHub" },
  {
    what: /^src\/git\/start\/exec\.ts$/,
    by: /^src\/git\//,
    rule: "git commands have files in src/git",
  },
  {
    what: /^src\/git\/start\/worker(-pool|-lines|-answer)?\.ts$/,
    by: /^src\/git\/start\/(exec|worker|worker-pool)\.ts$/,
    rule: "exec.ts alone has shells start git",
  },
  {
    what: /^src\/git\/change\/push\.ts$/,
    by: /^src\/landing\/ship\//,
    rule: "one place pushes",
  },
  {
    what: /^src\/git\/change\/rebase\.ts$/,
    by: /^src\/landing\/rebase-to-main\.ts$/,
    rule: "a branch is rebased at its agent's request alone",
  },
  {
    what: /^src\/git\/change\/switch\.ts$/,
    by: /^src\/workspaces\/pool\//,
    rule: "git switches branches in a worktree of a pool alone",
  },
  {
    what: /^src\/git\/change\/worktree-remove\.ts$/,
    by: /^src\/workspaces\/removal\.ts$/,
    rule: "one file removes worktrees",
  },
  {
    what: /^src\/workspaces\/trash\.ts$/,
    by: /^src\/workspaces\/(removal|pool\/strays)\.ts$/,
    rule: "folders are deleted by what recorded or saved them",
  },
  {
    what: /^src\/git\/change\/branches\.ts$/,
    by: /^src\/workspaces\/(git-worktree\/delete-unused|follow-branch|mend-branch)\.ts$/,
    rule: "a branch is deleted only by what knows whose it is",
  },
  { what: /^better-sqlite3$/, by: /^src\/store\/open\.ts$/, rule: "one file opens the database" },
  {
    what: /^node:child_process$/,
    by: /^src\/(process|runtimes|client)\/|^src\/git\/start\/(exec|worker)\.ts$/,
    rule: "few places start processes",
  },
  {
    what: /^(node:|(?!src\/|zod$|yaml$|croner$|unbash$))/,
    by: /^(src\/(?!core\/)|torture\/|dashboard\/)/,
    rule: "core is pure",
  },
  { what: /^(react|react-dom)(\/|$)/, by: /^dashboard\//, rule: "one folder is a web page" },
  {
    what: /^src\/client\/(?!client\.ts$)/,
    by: /^src\/|^torture\//,
    rule: "a page sees only the client's interface, which is types",
  },
  { what: /^@anthropic-ai\//, by: /^src\/runtimes\//, rule: "a runtime knows its program" },
  {
    what: /^(fastify$|@fastify\/|pino$)/,
    by: /^src\/daemon\//,
    rule: "the daemon serves and logs",
  },
  {
    what: /^@modelcontextprotocol\//,
    by: /^src\/(mcp|daemon\/http)\//,
    rule: "agents and a person's own programs have an MCP server each",
  },
]

/** Commands of git that move a ref. Those that a task's own branch needs have files of their own. */
const MOVES_REFS = [
  ...["update-ref", "branch", "reset", "merge", "rebase", "pull", "push", "cherry-pick", "revert"],
  ...["am", "switch", "checkout", "stash", "tag", "filter-branch", "replace", "notes"],
]
const WRITES_HEAD = /^(refs\/heads\/|-d$|--delete$|-m$)/
/** Global names that act or tell where and when we are. */
const IMPURE = [
  ...["process", "console", "fetch", "performance", "crypto", "setTimeout", "setInterval"],
  ...["setImmediate", "queueMicrotask", "Date.now", "new Date()", "new Date", "Math.random"],
]
/** src/launch.ts hands these streams to cli/output.ts. */
const TERMINAL = /^(console|process\.std(out|err))\b/
/** Where files lie that an agent or a cloned repository can have put there. */
const BESIDE_OTHERS = /^src\/(daemon|git|jobs|landing|runtimes|workspaces)\//
/** A table may keep its own layout; a rule is followed or changed, never switched off. */
const SUPPRESSION = /biome-ignore(?!(-start|-end)? format)|@ts-(ignore|expect-error|nocheck)/
/** Folders of the program that work in repositories, worktrees and folders of users. */
const WHERE_USERS_ARE = /^src\/(daemon|git|jobs|landing|workspaces)\//
const REMOVES = /(^|\.)(rm|rmdir|unlink)(Sync)?$/
/** Files that may remove a file or an empty folder. The list only shrinks. */
const REMOVING = [
  ...["src/daemon/agents/agent-folders.ts", "src/daemon/watch/watch-attachments.ts"],
  ...["src/git/change/note-made.ts", "src/git/change/own-index.ts", "src/git/change/read-tree.ts"],
  ...["src/landing/gate/restore.ts", "src/landing/move/mend-advance.ts"],
  ...["src/workspaces/collisions.ts", "src/workspaces/task-refs.ts"],
  ...["src/workspaces/traces.ts", "src/workspaces/trash.ts"],
  "src/workspaces/git-worktree/copy-whole.ts",
  ...["src/workspaces/git-worktree/disposable.ts", "src/workspaces/git-worktree/fill.ts"],
  ...["src/workspaces/locks/dead-locks.ts", "src/workspaces/pool/drop-entry.ts"],
  "src/workspaces/setup/leaves.ts",
]
const VAGUE_FILE = /(util|helper|manager|service|common|misc)s?\b/
const VAGUE_NAME = /^(get|handle|manage)[A-Z]|(Manager|Helper|Service|Util)s?$/
const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70
const PARAMETERS_MAX = 4
const EXPORTS_MAX = 6

const sources = readSources()

describe("a file", () => {
  test("starts by saying what it is for", () => {
    expect(offenders(({ text }) => !/^\/\*\*\s+(\* )?\S/.test(text))).toEqual([])
  })

  test("imports from the folders that its own may import from [8.1]", () => {
    const foreign = (source: Source) => {
      const own = folderOf(source.path)!
      const folders = targets(source).flatMap((path) => folderOf(path) ?? [])
      return folders.filter((folder) => folder !== own && !MAY_IMPORT[own]?.includes(folder))
    }
    expect(offenders(foreign)).toEqual([])
  })

  test("of src imports types alone from Node's HTTP modules: all else would load undici", () => {
    const isImport = /^(im|ex)port (?!type )[^"]* from "node:https?"/m
    expect(offenders(({ path, text }) => path.startsWith("src/") && isImport.test(text))).toEqual(
      [],
    )
  })

  test("of src/git belongs to a layer, and imports from its own and lower ones", () => {
    const layers = Object.keys(GIT_LAYERS)
    const layerOf = (path: string) =>
      layers.indexOf(/^src\/git\/(?:(\w+)\/)?/.exec(path)?.[1] ?? "")
    const inGit = (path: string) => path.startsWith("src/git/")
    expect(offenders(({ path }) => inGit(path) && layerOf(path) < 0)).toEqual([])
    const above = (source: Source) =>
      targets(source).filter((to) => inGit(to) && layerOf(to) > layerOf(source.path))
    expect(offenders((source) => (inGit(source.path) ? above(source) : []))).toEqual([])
  })

  test.each(RESERVED)("keeps to the rule: $rule [8.1]", ({ what, by }) => {
    // A rule about a file that has moved would pass for ever.
    const isUsed = (source: Source) =>
      by.test(source.path) && targets(source).some((t) => what.test(t))
    expect(sources.some(isUsed), "the rule is about something that is there").toBe(true)
    const named = (source: Source) =>
      by.test(source.path) ? [] : targets(source).filter((target) => what.test(target))
    expect(offenders(named)).toEqual([])
  })

  test("is small, and so are its functions", () => {
    expect(offenders(({ text }) => lineCount(text) > FILE_LINES_MAX)).toEqual([])
    expect(
      offenders(({ functions }) =>
        functions
          .filter((one) => one.lines > FUNCTION_LINES_MAX || one.parameters > PARAMETERS_MAX)
          .map((one) => `${one.name}: ${one.lines} lines, ${one.parameters} parameters`),
      ),
    ).toEqual([])
  })

  test("exports few values", () => {
    expect(offenders(({ exports }) => (exports.length > EXPORTS_MAX ? exports : []))).toEqual([])
  })

  test("has a name that says something, and so have its exports", () => {
    expect(offenders(({ path }) => VAGUE_FILE.test(basename(path)))).toEqual([])
    expect(offenders(({ exports }) => exports.filter((name) => VAGUE_NAME.test(name)))).toEqual([])
  })

  test("is not a barrel", () => {
    expect(offenders(({ path, reexports }) => reexports && path !== "src/index.ts")).toEqual([])
  })

  test("switches no rule off", () => {
    expect(offenders(({ text }) => SUPPRESSION.test(text))).toEqual([])
  })
})

describe("one place", () => {
  test("starts git: git/start/exec.ts, itself or through the shells of git/start/worker.ts", () => {
    const starting = (source: Source) =>
      source.strings.includes("git") &&
      targets(source).some((name) => /^(node:child_process$|src\/process\/)/.test(name))
    expect(offenders(starting)).toEqual(["src/git/start/exec.ts", "src/git/start/worker.ts"])
  })

  test("moves refs: git/change/update-ref.ts; switch.ts and rebase.ts a worktree's own branch, push.ts a remote's [2.3]", () => {
    const moving = ({ path, commands }: Source) =>
      path.startsWith("src/git/") && commands.some((word) => MOVES_REFS.includes(word))
    // Which folders may use the other two is in the rules above.
    expect(offenders(moving)).toEqual([
      "src/git/change/push.ts",
      "src/git/change/rebase.ts",
      "src/git/change/switch.ts",
      "src/git/change/update-ref.ts",
    ])
    // Core does not act: what it names is for a person to type.
    const naming = ({ path, strings }: Source) =>
      !path.startsWith("src/core/") && strings.some((text) => /\bupdate-ref\b/.test(text))
    expect(offenders(naming)).toEqual(["src/git/change/update-ref.ts"])
  })

  test("reads what others may have put in a file's place: process/plain-file.ts [12.9]", () => {
    const reading = ({ path, uses }: Source) =>
      BESIDE_OTHERS.test(path) ? [...uses].filter((name) => /\breadFile(Sync)?$/.test(name)) : []
    expect(offenders(reading)).toEqual([])
    // Commands load no more than they need, so they have a reader of their own.
    const client = ({ path, uses }: Source) =>
      path.startsWith("src/client/") && [...uses].some((name) => /\breadFile(Sync)?$/.test(name))
    expect(offenders(client)).toEqual([
      "src/client/alive.ts", // of /proc
      "src/client/daemon-address.ts", // of this package
      "src/client/doctor.ts", // of /proc
      "src/client/read-small.ts",
      "src/client/start-daemon.ts", // of the daemon's own log
    ])
  })

  test("writes to a terminal: cli/output.ts, which cleans what it writes [36.1]", () => {
    const writing = ({ uses }: Source) => [...uses].filter((name) => TERMINAL.test(name))
    const others = ({ path }: Source) =>
      path !== "src/launch.ts" && path !== "src/git/start/trace.ts" // on request; it cleans too
    expect(offenders((source) => (others(source) ? writing(source) : []))).toEqual([])
  })

  test("removes files where a user's may be: this list [33.4]", () => {
    const removing = ({ path, uses }: Source) =>
      WHERE_USERS_ARE.test(path) && [...uses].some((name) => REMOVES.test(name))
    expect(offenders(removing)).toEqual(REMOVING)
  })

  test("names symbolic refs, to read them: git/ask/head.ts", () => {
    const writing = ({ commands, strings }: Source) =>
      commands.includes("symbolic-ref") ? strings.filter((text) => WRITES_HEAD.test(text)) : []
    expect(offenders(writing)).toEqual([])
    const naming = ({ commands }: Source) => commands.includes("symbolic-ref")
    expect(offenders(naming)).toEqual(["src/git/ask/head.ts"])
  })
})

test("core computes; it does not act", () => {
  const acting = ({ path, uses }: Source) =>
    path.startsWith("src/core/") ? IMPURE.filter((name) => uses.has(name)) : []
  expect(offenders(acting)).toEqual([])
})

test("no folder imports, however indirectly, one that imports it", () => {
  const follow = (folder: string, seen: readonly string[]): void => {
    expect(seen).not.toContain(folder)
    for (const next of MAY_IMPORT[folder] ?? []) follow(next, [...seen, folder])
  }
  for (const folder of Object.keys(MAY_IMPORT)) follow(folder, [])
})

/** Type imports count: a reader follows them as well. */
test.each(Object.keys(MAY_IMPORT).filter((folder) => folder !== "."))(
  "no subfolder of %s imports, however indirectly, one that imports it",
  (folder) => {
    const imports = new Map<string, Set<string>>()
    for (const source of sources.filter(({ path }) => folderOf(path) === folder)) {
      const own = roomOf(source.path)
      const others = targets(source).filter((to) => folderOf(to) === folder)
      const rooms = imports.get(own) ?? imports.set(own, new Set()).get(own)!
      for (const to of others) if (roomOf(to) !== own) rooms.add(roomOf(to))
    }
    const reach = (room: string, seen = new Set<string>()): Set<string> => {
      for (const next of imports.get(room) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
      return seen
    }
    const isSubfolder = (room: string) => !room.endsWith(".ts")
    expect(
      [...imports.keys()].filter((room) => isSubfolder(room) && reach(room).has(room)),
    ).toEqual([])
  },
)

test("fields stand in their literal, not in a second one that is spread into it", () => {
  const spreading = globSync("{src,torture}/**/*.ts").filter((path) =>
    readFileSync(path, "utf8").includes(`...${"{"}`),
  )
  expect(spreading).toEqual([])
})

test("tests and scripts keep to the size of a file as well", () => {
  const long = globSync(
    "{src,dashboard,test,scripts,demo,bench,prove,replay,torture}/**/*.{ts,tsx,mjs,css}",
  ).filter((path) => lineCount(readFileSync(path, "utf8")) > FILE_LINES_MAX)
  expect(long).toEqual([])
})

/** The files that break a rule, each with what breaks it where the rule can tell. */
function offenders(rule: (source: Source) => boolean | readonly string[]): string[] {
  return sources.flatMap((source) => {
    const found = rule(source)
    if (typeof found === "boolean") return found ? [source.path] : []
    return found.map((what) => `${source.path}: ${what}`)
  })
}

/** The imports of a file: files as paths from the root, everything else by its name. */
function targets({ path, imports }: Source): string[] {
  return imports.map((name) => (name.startsWith(".") ? join(dirname(path), name) : name))
}

/** The first folder below src; `.` for src itself; `torture`, `dashboard`; undefined for all others. */
function folderOf(path: string): string | undefined {
  const [outside] = /^(torture|dashboard)(?=\/)/.exec(path) ?? []
  if (outside) return outside
  if (!path.startsWith("src/")) return undefined
  const [, folder, ...rest] = path.split("/")
  return rest.length === 0 ? "." : folder
}

/** The subfolder of its top folder that a file is in; a file at the root stands for itself. */
function roomOf(path: string): string {
  const [top = "", sub = "", inner] = path.split("/").slice(path.startsWith("src/") ? 1 : 0)
  return inner === undefined ? path : `${top}/${sub}`
}

const lineCount = (text: string): number => text.trimEnd().split("\n").length
