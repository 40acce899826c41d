/** The rooms of the house: test/support/house.ts says what each may import, and this checks it. */
import { describe, expect, test } from "vitest"
import { FEATURES } from "../src/daemon/features.ts"
import {
  LOADED_LATER,
  MAY_IMPORT,
  NAMES_FEATURES,
  PURE,
  ROWS_OF_FEATURES,
  roomOf,
  TABLES_OF_FEATURES,
  USES,
  USES_OTHERS,
} from "./support/house.ts"
import { offenders, readSources, type Source, targets, valuesOf } from "./support/source.ts"

/** Global names that act or tell where and when we are. */
const IMPURE = [
  ...["process", "console", "fetch", "performance", "crypto", "setTimeout", "setInterval"],
  ...["setImmediate", "queueMicrotask", "Date.now", "new Date()", "new Date", "Math.random"],
]
const COMPUTES = ["zod", "yaml", "croner", "unbash"]
const HAS_SQL = /^src\/kernel\/store\/|\/rows(\.ts$|\/)/
/** Rooms with folders of their own. */
const INNER = [
  ...["src/kernel/workspaces", "src/kernel/landing", "src/kernel/tasks", "src/kernel/store"],
  ...["src/config", "src/api/client", "src/surfaces/cli", "src/features/sources"],
  ...["src/features/pull-requests", "dashboard", "torture"],
]

const sources = readSources()

describe("a file", () => {
  test("imports from the rooms that its own may import from [8.1]", () => {
    const foreign = (source: Source) => {
      const own = roomOf(source.path)!
      const others = targets(source).filter((to) => featureOf(to) === undefined)
      return others.filter((to) => !mayImport(own, to) && !isTypeFor(source, to))
    }
    const listed = Object.entries(USES_OTHERS).flatMap(([path, others]) =>
      others.map((to) => `${path}: ${to}`),
    )
    expect(offenders(foreign).toSorted()).toEqual(listed.toSorted())
  })
})

test("rules compute; they do not act, and neither does what they import", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const pure = new Map<string, Source>()
  const add = (source: Source | undefined): void => {
    if (source === undefined || pure.has(source.path)) return
    pure.set(source.path, source)
    const isList = ROWS_OF_FEATURES.test(source.path)
    for (const to of valuesOf(source)) if (!isList || !LOADED_LATER.test(to)) add(byPath.get(to))
  }
  for (const source of sources) if (PURE.test(source.path)) add(source)
  const acting = (source: Source) =>
    pure.has(source.path)
      ? [
          ...IMPURE.filter((name) => source.uses.has(name)),
          ...valuesOf(source).filter((to) => !to.startsWith("src/") && !COMPUTES.includes(to)),
        ]
      : []
  expect(offenders(acting)).toEqual([])
})

const CLIENT = /^(dashboard|src\/(surfaces|api\/client|features\/[^/]+\/commands?))[/.]/
test("the daemon alone computes which actions are possible: its clients read `can` of a document [15.25]", () => {
  const computing = ({ path, uses }: Source) => CLIENT.test(path) && uses.has("possibleActions")
  expect(offenders(computing)).toEqual([])
})

test("statements in SQL stand in rows", () => {
  const stating = ({ path, uses }: Source) => uses.has("sql") && !HAS_SQL.test(path)
  expect(offenders(stating)).toEqual([])
})

describe("a room", () => {
  test("imports none, however indirectly, that imports it", () => {
    expect(circles(new Map(Object.entries(MAY_IMPORT)))).toEqual([])
  })

  test("names no feature but those on its list, which only shrinks [8.1]", () => {
    const naming = sources.flatMap(({ path }) => [...namedBy(path)].map((name) => [path, name]))
    const listed = Object.entries(NAMES_FEATURES).flatMap(([path, names]) =>
      names.map((name) => [path, name]),
    )
    expect(naming.map(String).toSorted()).toEqual(listed.map(String).toSorted())
  })

  test("that is a feature uses the features on its list, and no others [8.1]", () => {
    const used = new Map<string, Set<string>>()
    for (const source of sources) {
      const own = featureOf(source.path)
      const others = targets(source).flatMap((to) => featureOf(to) ?? [])
      if (own === undefined || others.every((name) => name === own)) continue
      const names = used.get(own) ?? used.set(own, new Set()).get(own)!
      for (const name of others) if (name !== own) names.add(name)
    }
    const sorted = [...used].map(([own, names]) => [own, [...names].toSorted()])
    expect(Object.fromEntries(sorted)).toEqual(USES)
    for (const { name, uses } of FEATURES)
      expect({ name, uses }).toEqual({ name, uses: USES[name] })
  })

  /** Type imports count: a reader follows them as well. */
  test.each(INNER)(
    "%s: no folder in it imports, however indirectly, one that imports it",
    (room) => {
      const imports = new Map<string, string[]>()
      for (const source of sources.filter(({ path }) => path.startsWith(`${room}/`))) {
        const own = folderIn(room, source.path)
        const others = targets(source).filter((to) => to.startsWith(`${room}/`))
        const folders = imports.get(own) ?? imports.set(own, []).get(own)!
        for (const to of others) if (folderIn(room, to) !== own) folders.push(folderIn(room, to))
      }
      expect(circles(imports).filter((name) => !name.endsWith(".ts"))).toEqual([])
    },
  )
})

/** Undefined for a file of no feature. */
const featureOf = (path: string): string | undefined => /^src\/features\/([^/]+)\//.exec(path)?.[1]

function mayImport(own: string, to: string): boolean {
  const room = roomOf(to)
  if (room === undefined || room === own) return true
  const isPart = (part: RegExp) => featureOf(to) !== undefined && part.test(to)
  return (MAY_IMPORT[own] ?? []).some(
    (name) =>
      name === room ||
      (name === "kernel/*" && room.startsWith("kernel")) ||
      (name === "features/*" && room === "features") ||
      (name === "features/*/wire" && isPart(/\/wire\.ts$/)) ||
      (name === "features/*/config" && isPart(/\/(config|rules)(\.ts$|\/)/)),
  )
}

/** The kernel knows the types of the configuration and of documents, and uses no code of theirs. */
const isTypeFor = (source: Source, to: string): boolean =>
  source.path.startsWith("src/kernel/") &&
  /^src\/(config|api)\//.test(to) &&
  !valuesOf(source).includes(to)

/** The features that a file outside of them imports, but for what its room may import. */
function namedBy(path: string): Set<string> {
  const source = sources.find((one) => one.path === path)!
  const own = roomOf(path)!
  const foreign = targets(source).filter((to) => !mayImport(own, to))
  const isInTable = (to: string) => TABLES_OF_FEATURES[path]?.test(to) === true
  return new Set(foreign.filter((to) => !isInTable(to)).flatMap((to) => featureOf(to) ?? []))
}

/** The features that reach themselves. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reach = (name: string, seen = new Set<string>()): Set<string> => {
    for (const next of imports.get(name) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  return [...imports.keys()].filter((name) => reach(name).has(name))
}

/** The folder of a room that a file is in; a file at the room's root stands for itself. */
function folderIn(room: string, path: string): string {
  const [sub = "", inner] = path.slice(room.length + 1).split("/")
  return inner === undefined ? path : `${room}/${sub}`
}
