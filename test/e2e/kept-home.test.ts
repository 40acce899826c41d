/**
 * A home of an earlier version, with a task and a landing in each state, opens and goes on.
 *
 * The fixture stays as that version wrote it, and so do these expectations. When they fail, the current code does
 * not read what users have: rows that change need a migration, and files and refs need code that reads the old form.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDb } from "../../src/kernel/store/open.ts"
import { review } from "../support/forge/pulls.ts"
import { STOPPED } from "../support/kept-home/config.ts"
import { stateOf, unpackFixture } from "../support/kept-home/fixture.ts"
import { Place } from "../support/kept-home/place.ts"
import { KEPT, type Kept } from "../support/kept-home/states.ts"
import { checkEvents } from "../support/known-events.ts"
import { waitFor } from "../support/wait-for.ts"

/** A task, as far as this file reads it. */
type Task = {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly landing: { readonly state: string } | null
}

const MIGRATE =
  "a change of the rows is a migration: the next file in the folder `migrations` of the store, never an edit of one"

const LANDED: Kept = ["complete", "landed"]
const OPEN: Kept = ["reviews_in_progress", "proposed"]

/** How each task stands once the daemon has gone on with all that needs no one, and the reason why it stays so. */
// biome-ignore format: a table reads best as one
const ON_ITS_OWN: Readonly<Record<string, readonly [Kept, RegExp?]>> = {
  "stuck":                       [KEPT["stuck"]!,          /restart/],
  "merge failed":                [KEPT["merge failed"]!,   /restart/],
  "planned":                     [KEPT["planned"]!,        /approve/],
  "asking":                      [KEPT["asking"]!,         /Which colour/],
  "in approval":                 [KEPT["in approval"]!,    /approve/],
  "half approved":               [KEPT["half approved"]!,  /approve/],
  "one of two":                  [KEPT["one of two"]!,     /approve/],
  "paused":                      [KEPT["paused"]!,         /resume/],
  "paused landing":              [KEPT["paused landing"]!, /resume/],
  "in the way":                  [KEPT["in the way"]!,     /way\.txt/],
  "planning":                    [KEPT["planning"]!],
  "working":                     [KEPT["working"]!],
  "handed back":                 [KEPT["handed back"]!],
  "a tick":                      [KEPT["a tick"]!],
  "Do one":                      [KEPT["Do one"]!],
  "in a folder":                 [KEPT["in a folder"]!],
  "a part":                      [KEPT["a part"]!],
  "Review of task 27: reviewed": [KEPT["Review of task 27: reviewed"]!],
  "registered":                  [KEPT["registered"]!,     /single/],
  "a lead":                      [KEPT["a lead"]!,         /sub-task/],
  "reviewed":                    [KEPT["reviewed"]!,       /critic/],
  "gating":                      [KEPT["gating"]!],
  "queued":                      [KEPT["queued"]!,         /task 39/],
  "snapshotting":                [LANDED],
  "preparing":                   [LANDED],
  "syncing":                     [LANDED],
  "publishing":                  [LANDED],
  "half published":              [LANDED],
  "cleaning":                    [LANDED],
  "shipping":                    [OPEN,                    /its pull request/],
  "upper":                       [OPEN,                    /its pull request/],
  "proposed":                    [OPEN,                    /its pull request/],
  "approved":                    [KEPT["approved"]!],
}

/** The decisions of a person after that, by title. */
// biome-ignore format: a table reads best as one
const DECISIONS: Readonly<Record<string, readonly string[]>> = {
  "stuck":          ["restart"],
  "merge failed":   ["restart"],
  "planned":        ["approve"],
  "asking":         ["answer", "red"],
  "in approval":    ["approve"],
  "half approved":  ["approve", "--repo", "web"],
  "one of two":     ["approve"], // the first of them
  "paused":         ["resume"],
  "paused landing": ["resume"],
  "kept":           ["land"],
}

/** The names that agents and a gate wait for. */
const AWAITED = [
  "working",
  "part",
  "review",
  "item",
  "tick",
  "folder",
  "fixed",
  "gate",
  "plan",
  "paused",
]

/** How it ends; all others are landed. */
// biome-ignore format: a table reads best as one
const ENDS: Readonly<Record<string, Kept>> = {
  "in a folder":                 ["complete", null],
  "Review of task 27: reviewed": ["complete", null],
  "cancelled":                   ["cancelled", null],
  "withdrawn":                   ["cancelled", "cancelled"],
  "planning":                    ["cancelled", null],
}

/** The files of every target in the end, other than README.md. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  app: [
    ...["approval", "both", "colour", "fixed", "half", "item", "kept", "landed", "lead"],
    ...["later-12", "later-19", "later-25", "later-9", "mended", "part", "paused", "pick"],
    ...["planned-11", "registered", "reviewed", "tick", "way", "working"],
  ].map((name) => `${name}.txt`),
  web: ["both.txt", "mine.txt"],
  left: ["both.txt"],
  right: ["both.txt"],
  ...Object.fromEntries(STOPPED.map((repo) => [repo, [`${repo}.txt`, "theirs.txt"]])),
  gating: ["gating.txt", "paused-landing.txt", "queued.txt", "theirs.txt"],
  "shop-origin.git": ["approved", "lower", "merged", "proposed", "shipping", "upper"].map(
    (name) => `${name}.txt`,
  ),
}

let place: Place

beforeAll(async () => {
  place = await Place.create()
  await unpackFixture(place)
})

afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

const stateOfTask = ({ state, landing }: Task): Kept => [state, landing?.state ?? null]

async function tasks(title?: string): Promise<readonly Task[]> {
  const all = (await place.ask<{ tasks: readonly Task[] }>("ls")).tasks
  return title === undefined ? all : all.filter((task) => task.title === title)
}

async function until(title: string, wanted: Kept): Promise<readonly Task[]> {
  const look = async () => {
    const found = await tasks(title)
    return found.every((task) => `${stateOfTask(task)}` === `${wanted}`) && found
  }
  return await waitFor(`${title}: ${wanted}`, look).catch(async (error: Error) => {
    const now = (await tasks(title)).map(stateOfTask)
    throw new Error(`${error.message}; it is ${JSON.stringify(now)}. ${MIGRATE}`)
  })
}

test("every task and landing of an earlier version is there, in its state; a change of rows is a migration [34.10]", async () => {
  openDb(join(stateOf(place), "coppice.db")).close() // brings the rows to the current version
  // As if the daemon had been ended: then reading starts nothing.
  const [address, at] = ["http://127.0.0.1:47111", "2026-01-01T00:00:00.000Z"]
  const daemon = {
    pid: 99_999_999,
    identity: "",
    address,
    token: "",
    home: place.home,
    version: "0.1.0",
  }
  const ended = JSON.stringify({ ...daemon, startedAt: at, endedAt: at })
  writeFileSync(join(stateOf(place), "daemon.json"), ended, { mode: 0o600 })
  const read = await place.json<{ tasks: readonly Task[]; unreadable?: unknown }>("ls")
  expect(read.unreadable, MIGRATE).toBeUndefined()
  expect(await place.pid()).toBeNull()
  const found = new Set(read.tasks.map((task) => JSON.stringify([task.title, stateOfTask(task)])))
  expect(found, MIGRATE).toEqual(new Set(Object.entries(KEPT).map((one) => JSON.stringify(one))))
})

test("the daemon opens it without a new approval [34.10]", async () => {
  await place.json("up", "-d")
})

test.each(Object.entries(ON_ITS_OWN))(
  "on its own, %s goes on or waits [34.10]",
  async (title, [state, why]) => {
    const [task] = await until(title, state)
    const { id = "" } = task ?? {}
    expect(await place.ask("show", id), MIGRATE).toMatchObject({ title })
    const said = await place.ask("why", id)
    if (why) expect(JSON.stringify(said), MIGRATE).toMatch(why)
  },
)

/** All that waits for a person, an agent or the forge goes on at the same time. */
test("a task that waits for a person goes on as the person decides [34.10]", async () => {
  const decide = async ([title, [verb = "", ...more]]: [string, readonly string[]]) => {
    const [task] = await tasks(title)
    await place.ask(verb, task?.id ?? title, ...more, "-d")
  }
  const decided = Promise.all(Object.entries(DECISIONS).map(decide))
  rmSync(join(place.repo("app"), "way.txt"))
  for (const name of AWAITED) place.go(name)
  const { pulls } = place.forge.state
  for (const title of ["proposed", "approved", "upper", "shipping"]) {
    const made = pulls.all.filter((pull) => pull.title === title)
    expect(made, "one pull request for each task").toHaveLength(1)
    review(place.forge.state, made[0]!, "APPROVED")
    pulls.merge(made[0]!, "squash")
  }
  await decided
  const [planned] = await until("planning", ["planning_complete", null])
  await place.ask("cancel", planned?.id ?? "")
  const [first, second] = await tasks("one of two")
  await waitFor("the choice", async () => {
    const states = (await tasks("one of two")).map(({ state }) => state)
    return `${states}` === "complete,cancelled"
  })
  expect([first?.id, second?.id]).toEqual(["15", "16"])
})

test.each(Object.keys(KEPT).filter((title) => title !== "one of two"))(
  "in the end, %s is over [34.10]",
  async (title) => {
    await until(title, ENDS[title] ?? LANDED)
  },
)

test.each(Object.entries(FILES))(
  "the target of %s has what landed [34.10]",
  async (repo, files) => {
    const listed = place.git(repo, "ls-tree", "--name-only", "main").split("\n")
    expect(listed).toEqual(["README.md", ...files].toSorted())
    expect(place.git(repo, "fsck", "--connectivity-only", "--no-dangling")).toBe("")
  },
)

test("nothing is lost [34.10]", async () => {
  const rescues = place.git("app", "for-each-ref", "--format=%(refname)", "refs/coppice/rescue/7")
  expect(place.git("app", "show", `${rescues.split("\n")[0]}:given-up.txt`)).toBe("given-up")
  expect(existsSync(join(place.repo("notes"), "new.txt"))).toBe(true)
  const { items } = await place.ask<{ items: readonly { state: string }[] }>("sources")
  expect(items.map(({ state }) => state)).toEqual(["ended"])
  checkEvents(join(stateOf(place), "coppice.db"))
})
