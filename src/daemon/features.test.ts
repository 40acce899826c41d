import { expect, test } from "vitest"
import { addSampleTask } from "../../test/support/store.ts"
import { NO_SECTIONS } from "../api/documents/feature-parts.ts"
import { handlersOf } from "../api/server/routes.ts"
import { VERB_NAMES, verbsOf } from "../api/server/run-verb.ts"
import { ROUTES, type Route } from "../api/wire/routes.ts"
import { RUNTIME_NAMES } from "../config/runtimes.ts"
import { SAYING_WHY } from "../declared/light.ts"
import { openDb } from "../kernel/store/open.ts"
import { findTask } from "../kernel/tasks/rows/find.ts"
import { FEATURES } from "./features.ts"
import { makersOf } from "./runtimes.ts"

/** The daemon's own process and the server answer these. */
const OWN = ["status", "down", "loginLink", "operation"]

test("each route has one handler, in the kernel's table or in a feature", () => {
  const isSocket = ({ isFollowed, isTerminal }: Route) => isFollowed || isTerminal
  const asked = Object.entries<Route>(ROUTES).filter(([, route]) => !isSocket(route))
  const names = asked.map(([name]) => name).filter((name) => !OWN.includes(name))
  expect(Object.keys(handlersOf(FEATURES)).toSorted()).toEqual(names.toSorted())
})

test("a list of all homes knows each feature that says why a task of a list waits", async () => {
  const saying = FEATURES.filter(({ why }) => why?.reason ?? why?.wait)
  const known = await Promise.all(SAYING_WHY.map((load) => load()))
  expect(new Set(known)).toEqual(new Set(saying))
})

test("a key of a task's document comes from one feature", () => {
  const db = openDb(":memory:")
  const task = findTask(db, addSampleTask(db).id)
  const keys = FEATURES.flatMap(({ section }) => Object.keys(section?.one(db, task!) ?? {}))
  expect(keys.toSorted()).toEqual(Object.keys(NO_SECTIONS).toSorted())
})

test("a second handler of one route is refused", () => {
  expect(() => handlersOf([...FEATURES, ...FEATURES])).toThrow("a route has one handler")
})

test("each verb has one handler", () => {
  expect(Object.keys(verbsOf(FEATURES)).toSorted()).toEqual(VERB_NAMES.toSorted())
  expect(() => verbsOf([...FEATURES, ...FEATURES])).toThrow("a verb has one handler")
})

test("each runtime has one maker", () => {
  expect(Object.keys(makersOf(FEATURES)).toSorted()).toEqual(RUNTIME_NAMES.toSorted())
  expect(() => makersOf([...FEATURES, ...FEATURES])).toThrow("a runtime has one maker")
})
